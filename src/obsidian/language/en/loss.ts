import type { Messages } from '../message';

/** Why a connection was lost. */
export const lossTexts = {
  unreachable: '{who} does not answer.',
  closed: '{who} closed the connection.',
  dead: '{who} stopped answering.',
} as const satisfies Messages;
