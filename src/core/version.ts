/**
 * The version of all programs of the product: that of package.json. `npm run release` writes it.
 */
export const PRODUCT_VERSION = '0.1.0';

/**
 * Whether a version (`1.2.3`, as in a manifest) is newer than another; false if either is not a version.
 */
export function isNewerVersion(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  if (a === undefined || b === undefined) return false;
  const at = a.findIndex((part, index) => part !== b[index]);
  return at !== -1 && (a[at] ?? 0) > (b[at] ?? 0);
}

function partsOf(version: string): readonly number[] | undefined {
  return /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
}
