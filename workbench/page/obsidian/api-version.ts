/** The app version that the workbench stands in for. */
export const apiVersion = '1.13.1';

/** Whether the app is at least this version. */
export function requireApiVersion(version: string): boolean {
  const wanted = version.split('.').map(Number);
  const ours = apiVersion.split('.').map(Number);
  for (const [at, part] of ours.entries()) {
    if (part !== (wanted[at] ?? 0)) return part > (wanted[at] ?? 0);
  }
  return true;
}
