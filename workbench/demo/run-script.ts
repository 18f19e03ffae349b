import type { ScriptedAnswers } from './scripted-answers';
import type { CallTracker } from './call-tracker';
import type { Faults } from './faults';
import { PersonQueue } from './person-queue';
import type { Script, ScriptSession } from './script';
import type { ScriptedModel } from './scripted-model';
import { short } from './short';
import type { Stage } from './stage';

export interface RunScriptOptions {
  readonly script: Script;
  readonly stage: Stage;
  /** absent with a real model, which is not scripted */
  readonly model: Pick<ScriptedModel, 'play' | 'over'> | undefined;
  readonly answers: ScriptedAnswers;
  readonly calls: CallTracker;
  readonly faults: Faults;
  /** by session: the person who acts in `beforeAnswer` of the model */
  readonly persons: Map<string, PersonQueue>;
  /** ms of silence from OpenCode after which a turn counts as hanging; undefined: no limit */
  readonly silenceMs: number | undefined;
  /** time of the latest event from OpenCode, in ms since the epoch */
  readonly stirredAt: () => number;
  readonly onSession: (sessionId: string, title: string) => void;
  /** rejects when the run can't continue, because a process exited */
  readonly broken: Promise<never>;
}

/** Runs all sessions concurrently, and the prompts of each one after another. Never throws. */
export async function runScript(play: RunScriptOptions): Promise<void> {
  const all = Promise.all(
    play.script.sessions.map((session) =>
      runSession(play, session).catch((error: unknown) =>
        play.faults.addError(`Session "${short(session.title)}"`, error),
      ),
    ),
  );
  await Promise.race([all, play.broken]).catch((error: unknown) =>
    play.faults.addError('The run stopped', error),
  );
}

async function runSession(play: RunScriptOptions, session: ScriptSession): Promise<void> {
  const sessionId = await play.stage.startSession(session.title);
  play.onSession(sessionId, session.title);
  for (const index of session.prompts.keys()) {
    if (!(await runPrompt(play, session, sessionId, index))) break;
  }
  play.model?.over(sessionId);
}

/** @returns whether the next prompt may follow */
async function runPrompt(
  play: RunScriptOptions,
  session: ScriptSession,
  sessionId: string,
  index: number,
): Promise<boolean> {
  const prompt = session.prompts[index];
  if (!prompt) return false;
  const where = `Session "${short(session.title)}", prompt ${index + 1}`;
  // A real model creates its own tasks, so the person's scripted actions would match none of them.
  const actions = play.model ? prompt.person : [];
  const person = new PersonQueue(play.stage, sessionId, actions, play.faults, where);
  play.persons.set(sessionId, person);
  play.model?.play(sessionId, prompt.turns);
  play.answers.setAnswers(sessionId, where, prompt.answers);
  if (!(await endsInTime(play.stage.prompt(sessionId, prompt.text), play))) {
    const silence = `${(play.silenceMs ?? 0) / 1000} s`;
    play.faults.add(
      `${where}: the turn had no end, and nothing came from OpenCode for ${silence}.`,
    );
    return false;
  }
  await person.finish();
  const open = play.calls.unanswered(sessionId).length;
  if (open > 0) play.faults.add(`${where}: ${open} call(s) of the tool got no answer.`);
  return true;
}

/** Whether the turn ends. A slow machine is tolerated; silence for `silenceMs` is not. */
async function endsInTime(
  turn: Promise<void>,
  { silenceMs, stirredAt }: Pick<RunScriptOptions, 'silenceMs' | 'stirredAt'>,
): Promise<boolean> {
  const ended = turn.then(() => true);
  if (silenceMs === undefined) return ended;
  const begun = Date.now();
  for (;;) {
    const left = Math.max(begun, stirredAt()) + silenceMs - Date.now();
    if (left <= 0) return false;
    if (await Promise.race([ended, timeout(left, ended)])) return true;
  }
}

/** Resolves to false after so many ms; the timer is cleared when the turn ends. */
function timeout(ms: number, ended: Promise<boolean>): Promise<false> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    const stop = (): void => clearTimeout(timer);
    ended.then(stop, stop);
  });
}
