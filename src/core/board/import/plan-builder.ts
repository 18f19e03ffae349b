import { IMPACTS, LEVELS, RISKS, SCOPES } from '../operation/task-fields';
import { validAgentName } from '../board-path';
import { tidyTitle } from '../note/title';
import type { Status } from '../task';
import type { ImportedPlan, ImportedTask, Left } from './imported-plan';
import { shown } from './shown-text';
import { linkTasks, type DraftTask } from './link-tasks';
import { sourceDay, sourcePriority, sourceStatus, tagOf } from './source-words';

/** A task as its source says it: words that mean nothing here yet. */
export interface SourceTask {
  /** what the source calls it; others name it by this */
  readonly ref?: string | null;
  /** the ref is made up, for those beside it, and says nothing to anyone else */
  readonly local?: boolean;
  readonly title: string | null;
  /** a word of the source, or what its place says */
  readonly status?: string | null;
  readonly priority?: string | null;
  readonly owner?: string | null;
  readonly scope?: string | null;
  readonly risk?: string | null;
  readonly impact?: string | null;
  readonly level?: string | null;
  readonly estimate?: string | null;
  readonly due?: string | null;
  readonly created?: string | null;
  /** when it was completed or cancelled */
  readonly closed?: string | null;
  readonly tags?: readonly string[];
  readonly body?: readonly string[];
  /** refs */
  readonly parent?: string | null;
  readonly dependsOn?: readonly string[];
  readonly phase?: string | null;
  /** fields that nobody read */
  readonly unread?: readonly string[];
}

const WORDS = { scope: SCOPES, risk: RISKS, impact: IMPACTS, level: LEVELS } as const;
type WordField = keyof typeof WORDS;

/** Collects the tasks of one source, brings them into our words, and remembers what it had to leave. */
export class PlanBuilder {
  private readonly drafts: DraftTask[] = [];
  private readonly left: Left[] = [];
  private readonly unread = new Map<string, number>();

  leave(what: string, why: string): void {
    this.left.push({ what, why });
  }

  /** Takes a task; one without a title takes its name from its ref, and is said. */
  add(source: SourceTask): void {
    const ref = source.ref ?? null;
    const place = `task ${this.drafts.length + 1}`;
    const name = source.local === true ? place : (ref ?? place);
    const given = source.title?.trim() ?? '';
    if (given === '') this.leave(name, 'It has no title, so it is called by its id or place.');
    const { title, body } = this.titled(given === '' ? name : given, source, name);
    const status = this.status(source.status ?? null, name);
    const closed = this.day('its day of completion', source.closed, name);
    this.drafts.push({
      ref,
      local: source.local === true,
      title,
      body,
      status,
      priority: this.priority(source.priority ?? null, name),
      owner: this.owner(source.owner, name),
      ...this.words(source, name),
      estimate: this.estimate(source.estimate ?? null, name),
      due: this.day('its due date', source.due, name),
      created: this.day('its day of creation', source.created, name),
      done: status === 'completed' ? closed : null,
      cancelled: status === 'cancelled' ? closed : null,
      parent: source.parent ?? null,
      dependsOn: source.dependsOn ?? [],
      phase: source.phase === undefined || source.phase === null ? null : tidyTitle(source.phase),
    });
    for (const field of source.unread ?? []) {
      this.unread.set(field, (this.unread.get(field) ?? 0) + 1);
    }
  }

  build(
    head: Pick<ImportedPlan, 'kind' | 'name'> &
      Partial<Pick<ImportedPlan, 'session' | 'agent' | 'title'>>,
  ): ImportedPlan {
    const { kind, name } = head;
    const tasks: readonly ImportedTask[] = linkTasks(this.drafts, (what, why) => {
      this.leave(what, why);
    });
    const fields = [...this.unread].map(([field, count]) => ({
      what: `"${field}" of ${count} ${count === 1 ? 'task' : 'tasks'}`,
      why: 'A task of a board has no such field.',
    }));
    return {
      kind,
      name: tidyTitle(name),
      title: tidyTitle(head.title ?? name),
      session: head.session ?? null,
      agent: head.agent ?? null,
      tasks,
      left: [...this.left, ...fields],
    };
  }

  /** The title with its tags; what does not fit in one line goes on top of the body. */
  private titled(
    given: string,
    source: SourceTask,
    name: string,
  ): { title: string; body: readonly string[] } {
    const body = source.body ?? [];
    const tags = (source.tags ?? []).map(tagOf).filter((tag) => tag !== '');
    const title = tidyTitle(given);
    const whole = title === given ? body : [...given.split(/\r\n|[\r\n\u2028\u2029]/), ...body];
    if (title !== given) {
      this.leave(
        `the title of ${name}`,
        'A title is one line of at most 500 characters; all of it stands in the text below.',
      );
    }
    const missing = [...new Set(tags)].filter((tag) => !title.split(/\s+/).includes(tag));
    const tagged = [title, ...missing].join(' ');
    if (tidyTitle(tagged) === tagged) return { title: tagged, body: whole };
    this.leave(`the labels of ${name}`, 'With them its title has over 500 characters.');
    return { title, body: whole };
  }

  private status(word: string | null, name: string): Status {
    if (word === null) return 'pending';
    const status = sourceStatus(word);
    if (status !== undefined) return status;
    const why = /^blocked$/i.test(word)
      ? 'What is blocked follows from what a task waits for; it is pending now.'
      : 'No status of ours has this name; it is pending now.';
    this.leave(`the status "${shown(word)}" of ${name}`, why);
    return 'pending';
  }

  private priority(word: string | null, name: string): ImportedTask['priority'] {
    if (word === null) return 'normal';
    const priority = sourcePriority(word);
    if (priority !== undefined) return priority;
    this.leave(`the priority "${shown(word)}" of ${name}`, 'No priority of ours has this name.');
    return 'normal';
  }

  private words(source: SourceTask, name: string): Record<WordField, string | null> {
    const read = (field: WordField): string | null => {
      const given = source[field] ?? null;
      if (given === null) return null;
      const word = WORDS[field].find((one) => one === given.trim().toLowerCase());
      if (word !== undefined) return word;
      this.leave(
        `the ${field} "${shown(given)}" of ${name}`,
        `It is none of ${WORDS[field].join(', ')}.`,
      );
      return null;
    };
    return {
      scope: read('scope'),
      risk: read('risk'),
      impact: read('impact'),
      level: read('level'),
    };
  }

  private estimate(given: string | null, name: string): string | null {
    if (given === null) return null;
    const text = given.replace(/\s+/g, '').toLowerCase();
    if (/^\d{1,5}(\.\d{1,2})?[mh]$/.test(text)) return text;
    this.leave(`the estimate "${shown(given)}" of ${name}`, 'An estimate is written as 30m or 2h.');
    return null;
  }

  private day(what: string, given: string | null | undefined, name: string): string | null {
    if (given === undefined || given === null) return null;
    const day = sourceDay(given);
    if (day === undefined) this.leave(`${what}, "${shown(given)}", of ${name}`, 'It is no date.');
    return day ?? null;
  }

  private owner(given: string | null | undefined, name: string): string | null {
    const text = given?.trim() ?? '';
    if (text === '') return null;
    if (validAgentName(text)) return text;
    this.leave(`the owner "${shown(text)}" of ${name}`, 'A name has at most 72 bytes in one line.');
    return null;
  }
}
