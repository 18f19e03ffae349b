import { compareCommands, countLostUpdates } from '../commands/compare';
import { backlog } from '../commands/backlog';
import { ours, sessions } from '../commands/ours';
import { taskmaster } from '../commands/taskmaster';
import type { Contender } from '../commands/contender';
import { exactResult, type Row } from '../row';

const TASKS = 1000;
/** Number of concurrent writers; each makes `UPDATES` updates on its own task. */
const WRITERS = 8;
const UPDATES = 3;

/**
 * Our command line, alone and against others that keep tasks in files: whole commands, from start
 * to exit.
 */
export function commandRows(): Row[] {
  return [
    ...scaleRows(),
    ...rowsAgainst('peer.backlog', backlog),
    ...rowsAgainst('peer.taskmaster', taskmaster),
  ];
}

/** Checks that a command about one session costs the same however many others there are. */
function scaleRows(): Row[] {
  const against = 'the same in a vault of 10 boards, whole command, 2,000 boards';
  const scale = (
    name: string,
    command: Parameters<typeof compareCommands<ReturnType<typeof sessions>>>[2],
  ): Row => ({
    ...{ name, against, target: 2 },
    measure: () => compareCommands(sessions(2000), sessions(10), command),
  });
  return [
    scale('cli.session.scale', (one) => one.get()),
    scale('cli.session.scale.init', (one, round) => one.init(`new_${round}`)),
  ];
}

function rowsAgainst(name: string, make: (tasks: number) => Contender): Row[] {
  const against = `${name.slice('peer.'.length)}, whole command, ${TASKS} tasks`;
  return [
    {
      name: `${name}.list`,
      against,
      target: 1,
      peers: true,
      measure: () => compareCommands(ours(TASKS), make(TASKS), (one) => one.list()),
    },
    {
      name: `${name}.status`,
      against,
      target: 1,
      peers: true,
      measure: () =>
        compareCommands(ours(TASKS), make(TASKS), (one, round) => one.status(round + 1)),
    },
    {
      name: `${name}.lost`,
      against: `${WRITERS} parallel writers with ${UPDATES} updates each`,
      target: 0,
      unit: 'lost updates',
      peers: true,
      measure: async () => {
        const own = ours(TASKS);
        const other = make(TASKS);
        try {
          const lost = await countLostUpdates(own, WRITERS, UPDATES);
          const theirs = await countLostUpdates(other, WRITERS, UPDATES);
          const detail = `of ${WRITERS * UPDATES} it lost ${theirs}`;
          return { ...exactResult(lost), detail };
        } finally {
          own.close();
          other.close();
        }
      },
    },
  ];
}
