'use strict';

if (process.env.ALACRYPT !== 'off') {
  let reason;
  try {
    reason = require('../dist/alacrypt.cjs').loadTls().registerTls();
  } catch (error) {
    reason = String(error).split('\n', 1)[0];
  }
  if (reason !== undefined) process.stderr.write(`alacrypt: TLS is not active: ${reason}\n`);
}
