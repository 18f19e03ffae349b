import { MAX_LIST, MAX_NAME } from '../../protocol/fields';
import { MAX_FRAME_BYTES, utf8Length } from '../../protocol/frame-limits';
import type { FromBridgeOf } from '../../protocol/from-bridge';

type Catalog = FromBridgeOf<'catalog'>['payload'];

type Entry = Catalog['agents'][number] | Catalog['models'][number];

/** Bytes of a frame reserved for its envelope and for the overhead of each entry. */
const ENVELOPE = 16 * 1024;

/** Share of the rest for agents and for commands; models get what remains. */
const SHARE = (MAX_FRAME_BYTES - ENVELOPE) / 4;

/** UTF-16 units of each description in a catalog that must be cut. */
const MAX_ABOUT = 300;

/**
 * Cuts a catalog to fit one message. `leftOut` says for a person what is missing; undefined if
 * nothing is.
 */
export function fittingCatalog(catalog: Catalog): {
  readonly payload: Catalog;
  readonly leftOut: string | undefined;
} {
  let room = MAX_FRAME_BYTES - ENVELOPE;
  const left: string[] = [];
  const cut = <T extends Entry>(all: readonly T[], what: string, share: number): T[] => {
    const before = room;
    const kept: T[] = [];
    for (const entry of all) {
      const short = shortened(entry);
      const bytes = utf8Length(JSON.stringify(short)) + 1;
      if (!isNamed(entry) || kept.length >= MAX_LIST || before - room + bytes > share) continue;
      room -= bytes;
      kept.push(short);
    }
    if (kept.length < all.length) left.push(`${all.length - kept.length} of ${all.length} ${what}`);
    return kept;
  };
  if (fits(catalog)) return { payload: catalog, leftOut: undefined };
  const { agents, commands, models, model } = catalog;
  const payload = {
    agents: cut(agents, 'agents', SHARE),
    ...(commands && { commands: cut(commands, 'commands', SHARE) }),
    models: cut(models, 'models', room),
    ...(model !== undefined && model.length <= MAX_NAME && { model }),
  };
  return { payload, leftOut: left.length > 0 ? left.join(', ') : 'descriptions, in part' };
}

function fits(catalog: Catalog): boolean {
  const { agents, commands = [], models, model = '' } = catalog;
  return (
    model.length <= MAX_NAME &&
    [agents, commands, models].every((all) => all.length <= MAX_LIST && all.every(isNamed)) &&
    utf8Length(JSON.stringify(catalog)) <= MAX_FRAME_BYTES - ENVELOPE
  );
}

/** Whether all names in the entry are within the length limit. */
function isNamed(entry: Entry): boolean {
  return Object.entries(entry).every(
    ([field, value]) =>
      field === 'description' || typeof value !== 'string' || value.length <= MAX_NAME,
  );
}

function shortened<T extends Entry>(entry: T): T {
  if (!('description' in entry) || entry.description === undefined) return entry;
  return { ...entry, description: entry.description.slice(0, MAX_ABOUT) };
}
