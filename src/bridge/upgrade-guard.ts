/** The one origin that Obsidian's desktop app has. */
const OBSIDIAN = 'app://obsidian.md';

export interface UpgradeHead {
  /** names and values in turn, as they came; a name may stand twice */
  readonly rawHeaders: readonly string[];
}

/**
 * Whether a WebSocket upgrade may come in at all: addressed to this machine under its own name (a
 * page that rebinds a name of its own has another Host), and from Obsidian, or from no page (a Node
 * client sends no Origin). A header that stands twice is refused: who reads which is not known.
 * @param extraOrigin one more origin that is let in, exactly as given
 */
export function mayUpgrade(head: UpgradeHead, port: number, extraOrigin?: string): boolean {
  const hosts = valuesOf(head, 'host');
  const origins = valuesOf(head, 'origin');
  if (hosts.length !== 1 || origins.length > 1) return false;
  const ours = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  if (!ours.includes(hosts[0] ?? '')) return false;
  const [origin] = origins;
  return origin === undefined || origin === OBSIDIAN || isExtra(origin, extraOrigin);
}

function isExtra(origin: string, extra: string | undefined): boolean {
  return extra !== undefined && extra !== '' && extra !== 'null' && origin === extra;
}

function valuesOf({ rawHeaders }: UpgradeHead, name: string): string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  );
}
