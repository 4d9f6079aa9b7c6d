import { SignedXml } from 'xml-crypto';
import { list, must, numbers, text } from '../lib/inputs.mjs';
import { pemPair } from '../lib/keys.mjs';

const C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';
let assertions;
let pair;

export default {
  name: 'xml-crypto',
  what: 'sign and check SAML assertions, RSA-SHA256; PEM',
  calls: 30,

  setup() {
    const next = numbers(23);
    pair = pemPair('rsa2048');
    assertions = list(16, (id) => `<Assertion ID="_${text(next, 20)}"><Subject>user-${id}@example.com</Subject></Assertion>`);
  },

  run(calls, emit) {
    for (let i = 0; i < calls; i++) {
      const signer = new SignedXml({
        privateKey: pair.privateKey,
        signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
        canonicalizationAlgorithm: C14N,
      });
      signer.addReference({
        xpath: "//*[local-name(.)='Assertion']",
        digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
        transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', C14N],
      });
      signer.computeSignature(assertions[i % assertions.length]);
      const signed = signer.getSignedXml();
      const checker = new SignedXml({ publicCert: pair.publicKey });
      checker.loadSignature(signed.slice(signed.indexOf('<Signature'), signed.indexOf('</Signature>') + '</Signature>'.length));
      must(checker.checkSignature(signed), 'what was signed verifies');
      emit(signed);
    }
  },
};
