import { usageExit, type Command, type CommandArgs } from './command';
import { actAsPerson, PERSON_OPTIONS } from './operation-command';
import { PERSON } from '../core/board/history/actor';
import { REVIEW_MODES } from '../core/board/task';

const accept: Command = {
  name: 'accept',
  takes: 'ID... --as-person',
  says: 'accepts tasks that wait for your review',
  options: PERSON_OPTIONS,
  run(given, vault) {
    const lacks =
      given.words.length === 0 ? 'accept takes the tasks: accept ID.' : asPersonFault(given);
    if (lacks !== undefined) return usageExit(lacks);
    const ops = given.words.map((id) => ({ type: 'accept', id }) as const);
    return actAsPerson(vault, given, ops, (manager, { path }) => manager.commit(path, PERSON, ops));
  },
};

const sendBack: Command = {
  name: 'send-back',
  takes: 'ID WORDS --as-person',
  says: 'sends a task that waits for your review back to its agent, with what is missing',
  options: PERSON_OPTIONS,
  run(given, vault) {
    const [id, words, ...more] = given.words;
    if (id === undefined || words === undefined || more.length > 0) {
      return usageExit(
        'send-back takes a task, and what is missing in quotes: send-back ID "WORDS".',
      );
    }
    const lacks = asPersonFault(given);
    if (lacks !== undefined) return usageExit(lacks);
    const op = { type: 'send_back', id, words } as const;
    return actAsPerson(vault, given, [op], (manager, { path }) =>
      manager.commit(path, PERSON, [op]),
    );
  },
};

const review: Command = {
  name: 'review',
  takes: `${REVIEW_MODES.join('|')}|off --as-person`,
  says: 'which tasks wait for your review when an agent completes them: those with Success lines, all, or none',
  options: PERSON_OPTIONS,
  run(given, vault) {
    const [word, ...more] = given.words;
    const mode = REVIEW_MODES.find((one) => one === word);
    if (more.length > 0 || (mode === undefined && word !== 'off')) {
      return usageExit(`review takes one of ${REVIEW_MODES.join(', ')}, off.`);
    }
    const lacks = asPersonFault(given);
    if (lacks !== undefined) return usageExit(lacks);
    return actAsPerson(vault, given, [{ type: 'review', mode: word }], (manager, { path }) =>
      manager.review(path, mode),
    );
  },
};

function asPersonFault(given: CommandArgs): string | undefined {
  return given.flag('as-person')
    ? undefined
    : 'Reviews are the person’s: add --as-person where you are that person.';
}

/** Commands by which only the person decides about tasks that agents completed. */
export const REVIEW_COMMANDS: readonly Command[] = [accept, sendBack, review];
