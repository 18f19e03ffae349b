import { tidyTitle, withoutColours } from '../board/note/title';
import { importLoss, lossPart } from './import-fault';
import type { ImportedPlan, ImportedTask, ImportLoss } from './imported-plan';
import {
  type PartName,
  shown,
  tagOf,
  type SourceTask,
  readValues,
  type ReportLoss,
} from './source-task';
import { closingEdges } from './break-cycles';
import { groupByKey } from '../board/group-by-key';
import type { SaidSentence } from '../fault/sentence';

/**
 * Collects the tasks of one source, converts their values to ours, and records what could not be
 * imported.
 */
export class PlanBuilder {
  private readonly drafts: DraftTask[] = [];
  private readonly left: ImportLoss[] = [];
  private readonly unread = new Map<string, number>();
  readonly reportLoss: ReportLoss = (what, why) => void this.left.push(importLoss(what, why));

  /** Adds a task. One without a title is named after its ref, which is reported. */
  add(given: SourceTask): void {
    const ref = given.ref ?? null;
    const place = lossPart('task', { n: String(this.drafts.length + 1) });
    const name = given.local === true ? place : (ref ?? place);
    const source = this.stripColours(given, name);
    const title = source.title?.trim() ?? '';
    if (title === '') this.reportLoss(name, lossPart('noTitle'));
    const own = typeof name === 'string' ? name : name[0];
    const head = this.titleWithTags(title === '' ? own : title, source, name);
    this.drafts.push({
      ref,
      local: source.local === true,
      ...head,
      ...readValues(source, name, this.reportLoss),
      parent: source.parent ?? null,
      dependsOn: source.dependsOn ?? [],
      phase: typeof source.phase === 'string' ? tidyTitle(source.phase) : null,
    });
    for (const field of source.unread ?? []) {
      this.unread.set(field, (this.unread.get(field) ?? 0) + 1);
    }
  }

  build(
    head: Pick<ImportedPlan, 'kind' | 'name'> &
      Partial<Pick<ImportedPlan, 'session' | 'agent' | 'title' | 'board' | 'project'>>,
  ): ImportedPlan {
    const { kind, name } = head;
    const tasks = linkTasks(this.drafts, this.reportLoss);
    const fields = [...this.unread].map(([field, count]) =>
      importLoss(lossPart('fieldOf', { field, count: String(count) }), lossPart('noSuchField')),
    );
    return {
      kind,
      name: tidyTitle(name),
      title: tidyTitle(head.title ?? name),
      session: head.session ?? null,
      agent: head.agent ?? null,
      ...(head.board !== undefined && { board: head.board }),
      ...(head.project !== undefined && { project: head.project }),
      tasks,
      left: [...this.left, ...fields],
    };
  }

  /** Removes colour sequences from a task's texts, and reports it. */
  private stripColours(source: SourceTask, name: PartName): SourceTask {
    const { title = null, body = [], reason = null, phase = null } = source;
    const texts = [title ?? '', reason ?? '', phase ?? '', ...body];
    if (texts.every((text) => withoutColours(text) === text)) return source;
    this.reportLoss(lossPart('coloursOf', { name }), lossPart('coloursRemoved'));
    return {
      ...source,
      title: title && withoutColours(title),
      reason: reason && withoutColours(reason),
      phase: phase && withoutColours(phase),
      body: body.map(withoutColours),
    };
  }

  /**
   * Adds tags to the title. If the title doesn't fit on one line, the whole title goes into the
   * body too.
   */
  private titleWithTags(
    given: string,
    source: SourceTask,
    name: PartName,
  ): { title: string; body: readonly string[] } {
    const body = source.body ?? [];
    const tags = (source.tags ?? []).map(tagOf).filter((tag) => tag !== '');
    const title = tidyTitle(given);
    const whole = title === given ? body : [...given.split(/\r\n|[\r\n\u2028\u2029]/), ...body];
    if (title !== given) {
      this.reportLoss(lossPart('titleOf', { name }), lossPart('titleLong'));
    }
    const missing = [...new Set(tags)].filter((tag) => !title.split(/\s+/).includes(tag));
    const tagged = [title, ...missing].join(' ');
    if (tidyTitle(tagged) === tagged) return { title: tagged, body: whole };
    this.reportLoss(lossPart('labelsOf', { name }), lossPart('labelsLong'));
    return { title, body: whole };
  }
}

/** A task whose parent and prerequisites are still refs of the source. */
interface DraftTask extends Omit<ImportedTask, 'key'> {
  /** whether the ref has a meaning only within this source */
  readonly local: boolean;
}

/** Deepest nesting of subtasks. Deeper ones are moved up to this level. */
export const MAX_TASK_DEPTH = 20;

/**
 * Resolves references between tasks, and puts parents before their subtasks. Leaves out and
 * reports references to unknown tasks, parents that are their own descendants, and edges that close
 * a cycle.
 */
function linkTasks(drafts: readonly DraftTask[], reportLoss: ReportLoss): readonly ImportedTask[] {
  const names = draftNames(drafts);
  const byRef = indexByRef(drafts, names, reportLoss);
  const parents = parentsOf(drafts, names, byRef, reportLoss);
  const waiting = drafts.map((draft, at) => ({
    parent: parents[at] ?? -1,
    dependsOn: prerequisites(draft, names[at] ?? '', byRef, reportLoss),
  }));
  const closing = new Set<string>();
  for (const { from, to, way } of closingEdges(waiting)) {
    closing.add(`${from} ${to}`);
    reportLoss(
      lossPart('waitsFor', { name: names[from] ?? '', other: names[to] ?? '' }),
      cycleReason(way.map((at) => names[at] ?? '')),
    );
  }
  return parentsFirst(parents).map((at): ImportedTask => {
    const { local, ...draft } = drafts[at] as DraftTask;
    const { parent, dependsOn } = waiting[at] as (typeof waiting)[number];
    return {
      ...draft,
      // A duplicate's ref is ambiguous, so later imports recognise it by its title.
      ref: local || byRef.get(draft.ref?.toLowerCase() ?? '') !== at ? null : draft.ref,
      key: String(at),
      parent: parent < 0 ? null : String(parent),
      dependsOn: dependsOn.filter((to) => !closing.has(`${at} ${to}`)).map(String),
    };
  });
}

function draftNames(drafts: readonly DraftTask[]): readonly string[] {
  return drafts.map(({ ref, title, local }) => shown(ref === null || local ? `"${title}"` : ref));
}

/** Indexes tasks by ref, ignoring case. The first task with a ref counts. */
function indexByRef(
  drafts: readonly DraftTask[],
  names: readonly string[],
  reportLoss: ReportLoss,
): ReadonlyMap<string, number> {
  const index = new Map<string, number>();
  drafts.forEach(({ ref, title }, at) => {
    if (ref === null) return;
    const key = ref.toLowerCase();
    if (!index.has(key)) index.set(key, at);
    else reportLoss(lossPart('idOf', { name: names[at] ?? '', title }), lossPart('idTaken'));
  });
  return index;
}

function parentsOf(
  drafts: readonly DraftTask[],
  names: readonly string[],
  byRef: ReadonlyMap<string, number>,
  reportLoss: ReportLoss,
): readonly number[] {
  const parents = drafts.map(({ parent }, at) => {
    if (parent === null) return -1;
    const found = byRef.get(parent.toLowerCase());
    if (found === undefined) {
      const what = lossPart('partOf', { name: names[at] ?? '', other: parent });
      reportLoss(what, lossPart('noSuchParent'));
    }
    return found ?? -1;
  });
  const depths = new Array<number>(parents.length).fill(-1);
  for (const at of parents.keys()) {
    const chain = ancestorChain(parents, depths, at);
    const top = chain.at(-1) as number;
    const above = parents[top] ?? -1;
    if (above >= 0 && (depths[above] ?? -1) < 0) {
      const what = lossPart('partOf', { name: names[top] ?? '', other: names[above] ?? '' });
      reportLoss(what, lossPart('partOfItself'));
      parents[top] = -1;
    }
    for (const task of chain.toReversed()) {
      let parent = parents[task] ?? -1;
      if (parent >= 0 && (depths[parent] ?? 0) >= MAX_TASK_DEPTH) {
        parent = parents[parent] ?? -1;
        parents[task] = parent;
        const what = lossPart('placeOf', { name: names[task] ?? '' });
        reportLoss(what, lossPart('tooDeep', { most: MAX_TASK_DEPTH }));
      }
      depths[task] = parent < 0 ? 0 : (depths[parent] ?? 0) + 1;
    }
  }
  return parents;
}

/** A task and its ancestors, up to the first whose depth is known or that occurs again. */
function ancestorChain(
  parents: readonly number[],
  depths: readonly number[],
  from: number,
): number[] {
  const chain: number[] = [];
  const seen = new Set<number>();
  for (let at = from; at >= 0 && (depths[at] ?? -1) < 0 && !seen.has(at); at = parents[at] ?? -1) {
    seen.add(at);
    chain.push(at);
  }
  return chain.length === 0 ? [from] : chain;
}

function prerequisites(
  { dependsOn }: DraftTask,
  name: string,
  byRef: ReadonlyMap<string, number>,
  reportLoss: ReportLoss,
): readonly number[] {
  const found = dependsOn.flatMap((ref) => {
    const at = byRef.get(ref.toLowerCase());
    if (at === undefined)
      reportLoss(lossPart('waitsFor', { name, other: ref }), lossPart('noSuchTask'));
    return at ?? [];
  });
  return [...new Set(found)];
}

/** Orders parents before their subtasks, otherwise as in the source. */
function parentsFirst(parents: readonly number[]): readonly number[] {
  const children = groupByKey([...parents.keys()], (at) => parents[at] ?? -1);
  const order: number[] = [];
  const stack = (children.get(-1) ?? []).toReversed();
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    order.push(at);
    stack.push(...(children.get(at) ?? []).toReversed());
  }
  return order;
}

function cycleReason(names: readonly string[]): SaidSentence {
  if (names.length === 0) return lossPart('tooManyCircles');
  return lossPart('circle', { way: shortenedNames(names).join(' → ') });
}

function shortenedNames(names: readonly string[]): readonly string[] {
  return names.length <= 8 ? names : [...names.slice(0, 6), '…', ...names.slice(-1)];
}
