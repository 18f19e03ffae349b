import type { App, Command } from 'obsidian';
import type { Session } from '../../core/session/session';
import { pick } from '../desk/pick';
import { when } from './when';

export interface ContinueCommandDeps {
  readonly app: App;
  readonly sessions: () => readonly Session[];
  readonly can: (sessionId: string) => boolean;
  readonly goOn: (sessionId: string) => void;
}

/** Lets a session go on with the next task of its plan; asks which where several could. */
export function continueCommand({ app, sessions, can, goOn }: ContinueCommandDeps): Command {
  const able = () => sessions().filter(({ id }) => can(id));
  return when(
    'continue-session',
    'Continue with next task',
    () => able().length > 0,
    async () => {
      const choices = able().map(({ id, title }) => ({ text: title || id, value: id }));
      const id = await pick(app, choices.reverse(), 'Choose a session');
      if (id !== undefined) goOn(id);
    },
  );
}
