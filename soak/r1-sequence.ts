import { PERSON } from '../src/core/board/history/actor';
import { merge } from 'node-diff3';
import { mergeNote } from '../src/core/board/merge/merge-note';
import { TodoManager } from '../src/core/board/todo-manager';
import { MemoryStore } from '../test/store/memory-store';
import { BOARD_NOTE } from './board-check';
import { ExpectedTasks } from './expected-tasks';
import type { SeededRandom } from './seeded';
import { fixedClock, seededIds } from './fixed-ports';

const STEPS = ['agent', 'command line', 'person', 'person opens', 'person saves'] as const;
const SYNC_STEPS = ['sync copies', 'sync replaces'] as const;
export type Step = (typeof STEPS)[number] | (typeof SYNC_STEPS)[number];

/** A text that is open in an editor or on another device: the original and the edited version. */
interface Draft {
  readonly base: string;
  mine: string;
  /** called once the draft is saved */
  readonly then: (() => void)[];
}

/**
 * Four writers on one board, each with its own tasks: an agent; the command line (a second manager
 * over the same files); a person, in the note's text and in the views; and a sync tool that
 * replaces the file by another device's edit of an older copy. Acknowledged edits are recorded in
 * `expected`.
 */
export class Sequence {
  readonly store = new MemoryStore();
  readonly expected = new ExpectedTasks();
  readonly #own = new Map<string, string[]>();
  readonly #agent: TodoManager;
  readonly #commandLine: TodoManager;
  #editor: Draft | undefined;
  #device: Draft | undefined;
  #nameCount = 0;
  /** number of acknowledged edits */
  acknowledged = 0;
  refused = 0;

  constructor(private readonly random: SeededRandom) {
    const ids = seededIds(random.below(2 ** 30));
    this.#agent = new TodoManager({ store: this.store, clock: fixedClock, ids });
    this.#commandLine = new TodoManager({ store: this.store, clock: fixedClock, ids });
  }

  async run(count: number, onStep: (step: Step) => void): Promise<void> {
    await this.#call(this.#agent, 'a');
    for (let left = count; left > 0;) {
      const together = 1 + this.random.below(3);
      const steps = Array.from({ length: together }, () =>
        this.random.pick([...STEPS, ...SYNC_STEPS]),
      );
      await Promise.all(steps.map((step) => this.#step(step)));
      steps.forEach(onStep);
      left -= together;
    }
    await this.#step('person saves');
    await this.#step('sync replaces');
  }

  async #step(step: Step): Promise<void> {
    // Each step starts after a random number of microtasks.
    for (let turns = this.random.below(12); turns > 0; turns -= 1) await Promise.resolve();
    switch (step) {
      case 'agent':
        return this.#call(this.#agent, 'a');
      case 'command line':
        return this.#call(this.#commandLine, 'c');
      case 'person':
        return this.#editAsPerson();
      case 'person opens':
        this.#editor ??= this.#makeDraft('p');
        return;
      case 'person saves':
        return this.#saveDraft();
      case 'sync copies':
        this.#device ??= this.#makeDraft('s');
        return;
      case 'sync replaces':
        return this.#syncDraft();
    }
  }

  async #call(manager: TodoManager, who: string): Promise<void> {
    const own = this.#ownOf(who);
    const name = this.#newName(who);
    const picked = own.length > 0 && this.random.next() < 0.6 ? this.random.pick(own) : undefined;
    const operations = [
      { type: 'add', title: name },
      ...(picked === undefined ? [] : [{ type: 'complete', id: picked }]),
    ];
    const { result } = await manager.call({ sessionId: 's1', agent: 'build' }, { operations });
    const [added, completed] = result.results;
    this.#count(added?.success === true, () => {
      this.expected.add(name, true);
      own.push(name);
    });
    if (picked === undefined) return;
    this.#count(completed?.success === true, () =>
      this.expected.setStatus(picked, 'completed', true),
    );
  }

  async #editAsPerson(): Promise<void> {
    const board = await this.#agent.load(BOARD_NOTE);
    const tasks = board?.tasks.filter(({ title }) => this.#ownOf('v').includes(title)) ?? [];
    const name = this.#newName('v');
    const added = await this.#agent.commit(BOARD_NOTE, PERSON, [{ type: 'add', title: name }]);
    this.#count(added.ok, () => {
      this.expected.add(name, true);
      this.#ownOf('v').push(name);
    });
    if (tasks.length === 0) return;
    const { id, line, title } = this.random.pick(tasks);
    const status = this.random.pick(['in_progress', 'completed', 'deferred'] as const);
    const operation = { type: 'update', id: { id, line, title }, status } as const;
    const set = await this.#agent.commit(BOARD_NOTE, PERSON, [operation]);
    this.#count(set.ok, () => this.expected.setStatus(title, status, true));
  }

  /** The note as edited by hand: a task is added, and one of the writer's own tasks may be ticked. */
  #makeDraft(who: string): Draft | undefined {
    const base = this.store.files.get(BOARD_NOTE)?.text;
    if (base === undefined) return undefined;
    const own = this.#ownOf(who);
    const name = this.#newName(who);
    const then = [() => this.expected.add(name, true), () => own.push(name)];
    let mine = `${base}- [ ] ${name}\n`;
    const ticked = own.find((one) => base.includes(`- [ ] ${one}`));
    if (ticked !== undefined && this.random.next() < 0.7) {
      mine = mine.replace(`- [ ] ${ticked}`, `- [x] ${ticked}`);
      then.push(() => this.expected.setStatus(ticked, 'completed', true));
    }
    return { base, mine, then };
  }

  /** Saves as the source mode of the note view does. */
  async #saveDraft(): Promise<void> {
    const draft = this.#editor;
    this.#editor = undefined;
    if (draft === undefined) return;
    const { base, mine } = draft;
    const saved = await this.#agent.commit(BOARD_NOTE, { kind: 'person' }, (note) => [
      { type: 'replace', text: mergeNote({ base, mine, theirs: note?.text ?? '' }).text },
    ]);
    this.#count(saved.ok, () => draft.then.forEach((tell) => tell()));
  }

  /**
   * Merges line by line, as sync tools do; on a conflict, the other device's text goes into a
   * separate file.
   */
  #syncDraft(): Promise<void> {
    const draft = this.#device;
    this.#device = undefined;
    const now = this.store.files.get(BOARD_NOTE)?.text;
    if (draft === undefined || now === undefined) return Promise.resolve();
    const [mine, base, theirs] = [draft.mine, draft.base, now].map((text) => text.split('\n'));
    const merged = merge(mine ?? [], base ?? [], theirs ?? []);
    if (merged.conflict) {
      this.store.put(BOARD_NOTE.replace('.md', ' (conflicted copy).md'), draft.mine);
      this.refused += 1;
    } else {
      this.store.put(BOARD_NOTE, merged.result.join('\n'));
      this.#count(true, () => draft.then.forEach((tell) => tell()));
    }
    return Promise.resolve();
  }

  #count(done: boolean, onDone: () => void): void {
    if (!done) {
      this.refused += 1;
      return;
    }
    this.acknowledged += 1;
    onDone();
  }

  #ownOf(who: string): string[] {
    const own = this.#own.get(who) ?? [];
    this.#own.set(who, own);
    return own;
  }

  #newName(who: string): string {
    return `${who}-${(this.#nameCount += 1)}.`;
  }
}
