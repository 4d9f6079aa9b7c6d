/**
 * What `alacrypt/tls` exports; the build makes the `import()` a `require`.
 */

const family = () => import('./families/tls');

type Family = typeof import('./families/tls');

/** The file with all that is for TLS. */
export function loadTls(): Family {
  return family() as unknown as Family;
}
