import { MAX_LIST, MAX_NAME } from '../../protocol/fields';
import { MAX_FRAME_BYTES, utf8Length } from '../../protocol/frame-limits';
import type { FromBridgeOf } from '../../protocol/from-bridge';

type Catalog = FromBridgeOf<'catalog'>['payload'];

type Entry = Catalog['agents'][number] | Catalog['models'][number];

/** Bytes of a frame that are for its envelope and for what each entry gets around it. */
const ENVELOPE = 16 * 1024;

/** Of the rest, what agents and commands may take each; models get what those leave. */
const SHARE = (MAX_FRAME_BYTES - ENVELOPE) / 4;

/** UTF-16 units of what is said of an entry, in a catalog that has to be cut. */
const MOST_ABOUT = 300;

/**
 * A catalog as far as one message takes it. `leftOut` names what stayed behind, for a person; undefined where all
 * of it fits.
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

/** Whether all of it that is a name is no longer than one may be. */
function isNamed(entry: Entry): boolean {
  return Object.entries(entry).every(
    ([field, value]) =>
      field === 'description' || typeof value !== 'string' || value.length <= MAX_NAME,
  );
}

function shortened<T extends Entry>(entry: T): T {
  if (!('description' in entry) || entry.description === undefined) return entry;
  return { ...entry, description: entry.description.slice(0, MOST_ABOUT) };
}
