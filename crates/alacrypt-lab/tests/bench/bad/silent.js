'use strict';

// Ends well and never reports.
