import { namingWords, type NamingAnswer } from '../core/board/names/name-boards';
import { answered, refused, type Command } from './command';

/** `agent-boards name-by-title`: changes how the notes of all boards are named. */
export const nameByTitle: Command = {
  name: 'name-by-title',
  takes: '',
  says: 'names the notes of all boards by their titles, or back by session and agent',
  options: {
    back: { says: 'names them by session and agent again' },
    'dry-run': { says: 'only tells what would be renamed' },
  },
  async run(given, { manager: { naming } }, { untilStopped }) {
    const by = given.flag('back') ? 'session' : 'title';
    if (given.flag('dry-run')) {
      const renames = (await naming.plan(by)).flat();
      const told = renames.length === 0 ? 'All files have these names already.' : lines(renames);
      return answered(given, 0, { ok: true, dryRun: true, renames }, told);
    }
    const stopped = untilStopped();
    const done = await naming.run(by, {
      progress: () => undefined,
      cancelled: () => stopped.aborted,
    });
    if (!done.ok) return refused(done);
    const { renamed, kept } = done;
    const code = kept.length > 0 || done.cancelled ? 1 : 0;
    const text =
      renamed.length === 0 ? namingWords(done) : `${lines(renamed)}\n${namingWords(done)}`;
    return answered(given, code, { ok: code === 0, dryRun: false, renames: renamed, kept }, text);
  },
};

function lines(renames: Extract<NamingAnswer, { ok: true }>['renamed']): string {
  return renames.map(({ from, to }) => `${from} → ${to}`).join('\n');
}
