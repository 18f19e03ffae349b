import type { Options } from './command';

/** What every command takes. */
export const COMMON: Options = {
  vault: {
    type: 'string',
    value: 'DIR',
    says: 'the vault; else the nearest folder above with .opencode',
  },
  wait: {
    type: 'string',
    value: 'S',
    says: 'seconds to wait for another program that writes the note (15)',
  },
  json: { type: 'boolean', says: 'the result for programs' },
  help: { type: 'boolean', says: 'what the command takes' },
};

/** Which boards a command is about. */
export const CHOICE: Options = {
  session: { type: 'string', value: 'S', says: 'the session' },
  agent: { type: 'string', value: 'A', says: 'the agent whose board it is' },
};

/** As whom a command acts. */
export const CALLER: Options = {
  session: {
    type: 'string',
    value: 'S',
    says: 'the session; else the shared one of calls without',
  },
  agent: { type: 'string', value: 'A', says: 'the agent to act as' },
};
