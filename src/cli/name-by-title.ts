import { namingText, type NamingAnswer } from '../core/board/names/name-boards';
import { resultExit, refusalExit, type Command } from './command';

/** `agent-boards name-by-title`: changes how the notes of all boards are named. */
export const nameByTitle: Command = {
  name: 'name-by-title',
  takes: '',
  says: 'names the notes of all boards by their titles, or back by session and agent',
  options: {
    back: { says: 'names them by session and agent again' },
    'dry-run': { says: 'only shows what would be renamed' },
  },
  async run(given, { manager: { naming } }, { untilStopped }) {
    const by = given.flag('back') ? 'session' : 'title';
    if (given.flag('dry-run')) {
      const renames = (await naming.plan(by)).flat();
      const preview =
        renames.length === 0 ? 'All files have these names already.' : renameLines(renames);
      return resultExit(given, 0, { ok: true, dryRun: true, renames }, preview);
    }
    const stop = untilStopped();
    const done = await naming.run(by, {
      progress: () => undefined,
      cancelled: () => stop.aborted,
    });
    if (!done.ok) return refusalExit(done);
    const { renamed, kept } = done;
    const code = kept.length > 0 || done.cancelled ? 1 : 0;
    const text =
      renamed.length === 0 ? namingText(done) : `${renameLines(renamed)}\n${namingText(done)}`;
    return resultExit(given, code, { ok: code === 0, dryRun: false, renames: renamed, kept }, text);
  },
};

function renameLines(renames: Extract<NamingAnswer, { ok: true }>['renamed']): string {
  return renames.map(({ from, to }) => `${from} → ${to}`).join('\n');
}
