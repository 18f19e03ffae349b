import type { Command, Options } from './command';
import { COMMON } from './common-options';

/** All commands, a line each. */
export function overview(commands: ReadonlyMap<string, Command>): string {
  const rows = [...commands.values()].map(({ name, says }): Row => [name, says]);
  return [
    'agent-boards: the task boards of a vault, from the command line',
    '',
    ...columns(rows),
    '',
    'Every command takes:',
    ...columns(optionRows(COMMON)),
    '',
    'agent-boards add --help says what a single command takes. Where no command stands first,',
    '--action add|update|list|info works as simple_todo did: agent-boards --action list --help.',
    'agent-boards --version prints its version.',
    '',
    EXIT_CODES,
  ].join('\n');
}

/** One command with its options. */
export function helpOf({ name, takes, says, options, rows = [] }: Command): string {
  const own = optionRows(options);
  return [
    `agent-boards ${[name, takes].filter((part) => part !== '').join(' ')}`,
    '',
    `  ${says}`,
    '',
    ...(rows.length === 0 ? [] : [...columns(rows), '']),
    ...(own.length === 0 ? [] : [...columns(own), '']),
    ...columns(optionRows(COMMON)),
    '',
    EXIT_CODES,
  ].join('\n');
}

const EXIT_CODES =
  'Exit codes: 0 done, 1 some operation failed, 2 usage, 3 a note needs repair, 4 busy';

type Row = readonly [left: string, right: string];

function optionRows(options: Options): readonly Row[] {
  return Object.entries(options).map(([name, { short, value, says }]) => [
    `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    says,
  ]);
}

function columns(rows: readonly Row[]): readonly string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
