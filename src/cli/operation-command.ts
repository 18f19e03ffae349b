import { FIELD_NAMES } from '../core/board/operation/task-fields';
import { actAsPerson } from './act-as-person';
import type { Command, Options } from './command';
import { CALLER } from './common-options';
import { usage } from './exit';
import type { Given } from './given';
import type { OperationKind } from './operation-kinds';
import { sendOperations } from './send-operations';

const OTHER_BOARD: Options = {
  board: {
    type: 'string',
    value: 'A',
    says: "whose board; else the one named last, the agent's own, or the session's newest",
  },
};

const TERMS: Options = {
  atomic: { type: 'boolean', says: 'all or nothing' },
  rev: { type: 'string', value: 'N', says: 'only if the board is still at this rev' },
};

const AS_PERSON: Options = {
  'as-person': {
    type: 'boolean',
    says: 'as the person whose vault it is, on the board of --agent',
  },
};

/** A command that writes, as the agent that is named or as the person. */
export function writeCommand(kind: OperationKind): Command {
  return {
    ...kind,
    options: { ...kind.options, ...CALLER, ...OTHER_BOARD, ...TERMS, ...AS_PERSON },
    run(given, vault) {
      const fault = kind.lacks?.(given) ?? faultOf(given);
      if (fault !== undefined) return Promise.resolve(usage(fault));
      const operations = kind.sent(given);
      if (given.flag('as-person')) return actAsPerson(vault, given, operations);
      return sendOperations(vault, given, { operations, ...termsOf(given) });
    },
  };
}

function termsOf(given: Given): { readonly atomic?: boolean; readonly rev?: number } {
  const rev = given.text('rev');
  return {
    ...(given.flag('atomic') && { atomic: true }),
    ...(rev !== undefined && { rev: Number(rev) }),
  };
}

const CLEARED: readonly string[] = [...FIELD_NAMES, 'depends-on'];

function faultOf(given: Given): string | undefined {
  const rev = given.text('rev');
  if (rev !== undefined && !/^\d{1,9}$/.test(rev)) return '--rev takes a number.';
  const wrong = given.list('clear')?.find((name) => !CLEARED.includes(name));
  return wrong === undefined
    ? undefined
    : `--clear takes names of ${CLEARED.join(', ')}; "${wrong}" is none.`;
}
