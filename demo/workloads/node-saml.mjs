import { SAML } from '@node-saml/node-saml';
import { SignedXml } from 'xml-crypto';
import { list, must, numbers, text } from '../lib/inputs.mjs';
import { pemPair } from '../lib/keys.mjs';

const C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const CALLBACK = 'https://app.example.com/callback';
let saml;
let responses;

export default {
  name: '@node-saml/node-saml',
  what: 'check signed SAML responses, RSA-SHA256; PEM',
  calls: 16,

  setup() {
    const next = numbers(29);
    const { privateKey, publicKey } = pemPair('rsa2048');
    saml = new SAML({
      callbackUrl: CALLBACK,
      entryPoint: 'https://login.example.com/',
      issuer: 'app',
      audience: false,
      idpCert: publicKey,
      wantAuthnResponseSigned: false,
      validateInResponseTo: 'never',
      // Whatever the time is.
      acceptedClockSkewMs: -1,
    });
    responses = list(16, (id) => response(`user-${id}@example.com`, text(next, 20), privateKey));
  },

  async run(calls, emit) {
    for (let i = 0; i < calls; i++) {
      const at = i % responses.length;
      const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: responses[at] });
      must(profile.nameID === `user-${at}@example.com`, 'the user is the one that was signed');
      emit(profile.nameID);
      emit(profile.getAssertionXml());
      if (i % 16 === 0) emit(await refusal(responses[at]));
    }
  },
};

/** A response with a signed assertion in it. */
function response(user, id, privateKey) {
  const time = '2026-01-01T00:00:00Z';
  const assertion =
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_${id}" Version="2.0" IssueInstant="${time}"><saml:Issuer>idp</saml:Issuer>` +
    `<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">${user}</saml:NameID>` +
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData Recipient="${CALLBACK}" NotOnOrAfter="2026-01-01T01:00:00Z"/></saml:SubjectConfirmation></saml:Subject>` +
    `<saml:AuthnStatement AuthnInstant="${time}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement></saml:Assertion>`;
  const signer = new SignedXml({
    privateKey,
    signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: C14N,
  });
  signer.addReference({
    xpath: "//*[local-name(.)='Assertion']",
    digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', C14N],
  });
  signer.computeSignature(assertion);
  const xml = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_r${id}" Version="2.0" IssueInstant="${time}"><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${signer.getSignedXml()}</samlp:Response>`;
  return Buffer.from(xml).toString('base64');
}

/** What becomes of a response in which somebody put another user. */
async function refusal(signed) {
  const forged = Buffer.from(signed, 'base64').toString().replace('user-', 'root-');
  try {
    await saml.validatePostResponseAsync({ SAMLResponse: Buffer.from(forged).toString('base64') });
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
  throw new Error('wrong result: a forged response was taken');
}
