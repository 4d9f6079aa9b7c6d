/**
 * What the package promises beyond equal results: how it is switched on and off, what it leaves
 * behind, and that it does no harm.
 */

import './register.mjs';
import './asked.mjs';
import './binary.mjs';
import './bad-binaries.mjs';
import './cli.mjs';
import './switches.mjs';
import './workers.mjs';
import './memory.mjs';
import './memory-report.mjs';
import './key-cache.mjs';
import './shadow.mjs';
import './faults.mjs';
import './timing.mjs';
import './ciphers.mjs';
import './jobs.mjs';
import './webcrypto.mjs';
import './tls.mjs';
import './tls-clients.mjs';
import './tls-fetch.mjs';
import './tls-workers.mjs';
import './secrets.mjs';
import './review-handles.mjs';
import './review-patterns.mjs';
import './review-stops.mjs';
import { runTests } from '../support/suite.mjs';

await runTests();
