import '../../protocol/jitless';
import * as z from 'zod/mini';

/** What concerns Obsidian alone; stands in the plugin's own data. Secrets never do. */
const ownSettings = z.object({
  connectAutomatically: z.catch(z.boolean(), true),
  /** `ws://127.0.0.1:<port>/`; empty: the bridge is found by its run file */
  address: z.catch(z.string().check(z.maxLength(200)), ''),
  /** empty: OpenCode's own default */
  defaultAgent: z.catch(z.string().check(z.maxLength(200)), ''),
});
export type OwnSettings = z.infer<typeof ownSettings>;

/** Settings out of whatever the data file holds: what does not fit takes its default. */
export function readOwnSettings(data: unknown): OwnSettings {
  const read = ownSettings.safeParse(data);
  return read.success ? read.data : ownSettings.parse({});
}

/** The address in its one form; undefined where it is no loopback WebSocket address. */
export function loopbackAddress(text: string): string | undefined {
  const given = text.trim();
  if (given === '') return '';
  const url = parsed(/^\w+:\/\//.test(given) ? given : `ws://${given}`);
  if (url?.protocol !== 'ws:' || url.username !== '' || url.search !== '') return undefined;
  const loopback = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  return loopback && url.port !== '' ? `ws://${url.host}/` : undefined;
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
