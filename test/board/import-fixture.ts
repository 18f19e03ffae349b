import { join } from 'node:path';
import { importPlan } from '../../src/core/exchange/import-plan';
import type {
  ImportedPlan,
  ImportedPlans,
  ImportKind,
  ImportSource,
} from '../../src/core/exchange/imported-plan';
import { DiskStore } from '../../src/node/disk-store';
import { MemoryStore } from '../store/memory-store';

export const CORPUS = join(import.meta.dirname, '../corpus/import');

/** A file or folder of the corpus on disk. */
export function corpus(path: string): ImportSource {
  const kind = /\.(jsonl?|md)$/.test(path) ? 'file' : 'folder';
  return { path, kind, reader: new DiskStore(CORPUS) };
}

/** Files in memory, under `in`. */
export function folderOf(files: Readonly<Record<string, string>>): ImportSource {
  const reader = new MemoryStore();
  for (const [name, text] of Object.entries(files)) reader.put(`in/${name}`, text);
  return { path: 'in', kind: 'folder', reader };
}

export function fileOf(name: string, text: string): ImportSource {
  return { ...folderOf({ [name]: text }), path: `in/${name}`, kind: 'file' };
}

export async function plansOf(source: ImportSource, kind?: ImportKind): Promise<ImportedPlans> {
  const read = await importPlan(source, kind);
  if (!read.ok) throw new Error(`${read.code}: ${read.message}`);
  return read;
}

export async function planOf(source: ImportSource, kind?: ImportKind): Promise<ImportedPlan> {
  const { plans } = await plansOf(source, kind);
  const [plan] = plans;
  if (plan === undefined || plans.length > 1) throw new Error(`${plans.length} plans`);
  return plan;
}

/** A line per task: ref, status, title and its other fields. */
export function describePlan({ tasks }: ImportedPlan): readonly string[] {
  const name = new Map(tasks.map((task) => [task.key, task.ref ?? task.title]));
  return tasks.map((task) => {
    const more = [
      task.priority === 'normal' ? '' : `!${task.priority}`,
      task.owner === null ? '' : `@${task.owner}`,
      task.parent === null ? '' : `in ${name.get(task.parent) ?? ''}`,
      task.dependsOn.length === 0
        ? ''
        : `after ${task.dependsOn.map((key) => name.get(key)).join('+')}`,
      task.phase === null ? '' : `under ${task.phase}`,
      task.due === null ? '' : `due ${task.due}`,
      task.done === null ? '' : `done ${task.done}`,
      task.body.length === 0 ? '' : `: ${task.body.join(' / ')}`,
    ].filter((part) => part !== '');
    return [`${task.ref ?? '-'} ${task.status} "${task.title}"`, ...more].join(' ');
  });
}

/** What the import left out, a line each. */
export function describeLeftOut(plans: ImportedPlans): readonly string[] {
  return [...plans.left, ...plans.plans.flatMap(({ left }) => left)].map(
    ({ what, why }) => `${what}: ${why}`,
  );
}
