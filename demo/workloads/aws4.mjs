import aws4 from 'aws4';
import { list, must, numbers, text } from '../lib/inputs.mjs';

let credentials;
let requests;

export default {
  name: 'aws4',
  what: 'SigV4 for S3, DynamoDB and SQS',
  calls: 2_600,

  setup() {
    const next = numbers(4);
    credentials = list(8, () => ({
      accessKeyId: `AKIA${text(next, 16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`,
      secretAccessKey: text(next, 40),
    }));
    requests = list(256, (i) => [s3, dynamodb, sqs][i % 3](next, i));
  },

  run(calls, emit) {
    for (let i = 0; i < calls; i++) {
      const make = requests[i % requests.length];
      const signed = aws4.sign(make(), credentials[i % credentials.length]);
      must(/Signature=[0-9a-f]{64}$/.test(signed.headers.Authorization), 'a signature is there');
      emit(signed.headers.Authorization);
    }
  },
};

const date = (i) => `202601${String(1 + (i % 28)).padStart(2, '0')}T120000Z`;

function s3(next, i) {
  const path = `/bucket-${i}/${text(next, 20)}?versionId=${text(next, 16)}`;
  return () => ({ service: 's3', region: 'eu-west-1', path, headers: { 'X-Amz-Date': date(i) } });
}

function dynamodb(next, i) {
  const body = JSON.stringify({ TableName: 'users', Key: { id: { S: text(next, 24) } } });
  return () => ({
    service: 'dynamodb',
    region: 'us-east-1',
    method: 'POST',
    body,
    headers: {
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Target': 'DynamoDB_20120810.GetItem',
      'X-Amz-Date': date(i),
    },
  });
}

function sqs(next, i) {
  const body = `Action=SendMessage&MessageBody=${text(next, 400)}&Version=2012-11-05`;
  return () => ({
    service: 'sqs',
    region: 'us-west-2',
    path: `/123456789012/queue-${i}`,
    body,
    headers: { 'X-Amz-Date': date(i) },
  });
}
