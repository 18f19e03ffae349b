import type { Clock } from '../../ports';
import type { BoardFiles } from '../board-files';
import type { BoardPlace, BoardPlaces } from '../board-places';
import type { Actor } from '../history/actor';
import { applyPlan, type AppliedPlan } from '../import/apply-plan';
import type { Left } from '../import/imported-plan';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import type { PersonAnswer } from '../person/person-operation';
import { readPlanText, type PlanDraft } from '../plan-text/read-plan-text';
import { addSuggestions } from './add-suggestions';
import { newSuggestions, suggestTodos, type Suggestion } from './suggest-todos';

export interface TextPlanDeps {
  readonly files: BoardFiles;
  readonly places: BoardPlaces;
  readonly clock: Clock;
  /** one write of a whole board */
  readonly edit: (
    path: string,
    by: Actor,
    said: string,
    change: (note: Note | undefined) => { readonly ok: true; readonly text: string } | Fault,
  ) => Promise<PersonAnswer>;
}

export type AddedPlan =
  | (Extract<PersonAnswer, { ok: true }> & {
      readonly form: PlanDraft['form'];
      /** tasks that were added */
      readonly added: number;
      readonly left: readonly Left[];
    })
  | Fault;

/** Tasks from what is said in a conversation. Nothing of it is ever done unasked. */
export class TextPlans {
  constructor(private readonly deps: TextPlanDeps) {}

  /** What of a text might be tasks that the agent's board does not have; nothing is written. */
  async suggestions(session: string, agent: string, text: string): Promise<readonly Suggestion[]> {
    const { path } = await this.deps.places.find(session, agent);
    const file = await this.deps.files.load(path, true);
    return newSuggestions(suggestTodos(text), file?.board);
  }

  /**
   * Adds the suggestions that a person chose, in one write that can be undone.
   * @param title of a board that has to be made
   */
  async add(
    session: string,
    agent: string,
    chosen: readonly Suggestion[],
    by: Actor,
    title?: string,
  ): Promise<PersonAnswer> {
    const place = await this.deps.places.find(session, agent, title);
    const count = chosen.length === 1 ? '1 suggested task' : `${chosen.length} suggested tasks`;
    return this.deps.edit(place.path, by, `added ${count}`, (note) => {
      const on = noteAt(place, note);
      return 'ok' in on ? on : addSuggestions(on, chosen, this.deps.clock.today());
    });
  }

  /**
   * Puts the plan of a model's text (`readPlanText`) on the agent's board, under the heading "Plan".
   * @param what.title of a board that has to be made
   * @param what.why ends the line in the history
   */
  async addPlan(
    session: string,
    agent: string,
    text: string,
    by: Actor,
    { title, why }: { readonly title?: string; readonly why?: string } = {},
  ): Promise<AddedPlan> {
    const { form, plan } = readPlanText(text);
    if (plan.tasks.length === 0) {
      return fault('empty_plan', 'The text has no plan: it is empty. Send the steps as a list.');
    }
    const place = await this.deps.places.find(session, agent, title ?? plan.title);
    let done: AppliedPlan | undefined;
    const said = `added a plan of ${plan.tasks.length} tasks${why === undefined ? '' : ` ${why}`}`;
    const written = await this.deps.edit(place.path, by, said, (note) => {
      const made = applyPlan(note, plan, place);
      done = made.ok ? made : undefined;
      return made;
    });
    if (!written.ok) return written;
    if (done === undefined) throw new Error('assertion: a write without its outcome');
    return { ...written, form, added: done.added, left: [...plan.left, ...done.left] };
  }
}

function noteAt({ path, fresh }: BoardPlace, note: Note | undefined): Note | Fault {
  if (note !== undefined) return note;
  if (fresh !== undefined) return parseNote(path, fresh);
  return fault('unknown_board', 'The note of this board is no longer there. Try again.');
}
