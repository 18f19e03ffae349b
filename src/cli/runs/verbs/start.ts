import { usage } from '../../exit';
import { carryRun } from '../carry-run';
import { FOLLOWS, type RunVerb } from '../run-verb';
import { unknownChoice } from '../unknown-choice';
import { wishOf } from '../wish-of';

/** `agent-boards run start "GOAL"`: from a goal to done. */
export const start: RunVerb = {
  name: 'start',
  takes: 'GOAL',
  says: 'plans for a goal and carries the plan out, until it is done or waits for you',
  options: [
    ...['agent', 'model', 'session', 'no-approve', 'turns', 'tokens', 'minutes', 'attempts'],
    ...['parallel', ...FOLLOWS],
  ],
  words: { least: 1, most: 1 },
  run(desk) {
    const { given, vault, open, words } = desk;
    const wish = wishOf(words[0] ?? '', given, vault.settings.runs);
    if (typeof wish === 'string') return Promise.resolve(usage(wish, 'run'));
    const on = given.session === undefined ? undefined : { session: given.session };
    return carryRun(desk, {
      begin: async () => {
        const unknown = await unknownChoice(open.openCode.runtime, wish);
        return unknown === undefined ? open.runs.start(wish, on) : { ok: false, message: unknown };
      },
    });
  },
};
