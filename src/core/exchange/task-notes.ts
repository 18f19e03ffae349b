import { importResult, readFiles, readFrontMatter, readText, type Fields } from './source-files';
import { foldersIn, nameOfPath, stemOf, type ImportLoss, type PlanReader } from './imported-plan';
import { importLoss, lossPart } from './import-fault';
import { PlanBuilder } from './plan-builder';

/**
 * Reads a folder with one note per task, each with front matter: `id`, `name` or `title`, `status`,
 * `dependsOn`, `depends_on` or `blockedBy`, `scope`, `risk`, `impact`, `level`, `priority`, `tags`,
 * `assignee`, `estimate` or `timeEstimate` (minutes), `due`, `scheduled`, `created` or
 * `dateCreated`, `completed` or `completedDate`. The note's text becomes the body. References are
 * ids, note names, or links.
 */
export const readTaskNotes: PlanReader = async (source) => {
  const { reader, path } = source;
  const builder = new PlanBuilder();
  const left: ImportLoss[] = [];
  const tasks: ReadTask[] = [];
  if (source.kind === 'file') {
    const read = await readText(reader, path);
    if (!read.ok) return read;
    tasks.push(...readTask(builder, nameOfPath(path), read.text));
  } else {
    for (const { name, text } of await readFiles(reader, path, '.md', left)) {
      tasks.push(...readTask(builder, name, text));
    }
    const folders = await foldersIn(reader, path);
    for (const folder of folders) {
      left.push(importLoss(folder, lossPart('foldersInside')));
    }
  }
  const refs = new Map([
    ...tasks.map(({ file, ref }) => [stemOf(file).toLowerCase(), ref] as const),
    ...tasks.map(({ ref }) => [ref.toLowerCase(), ref] as const),
  ]);
  for (const task of tasks) addTask(builder, task, refs);
  const name = stemOf(path);
  const plan = builder.build({ kind: 'task-notes', name });
  return importResult('task-notes', source, [plan], left);
};

interface ReadTask {
  readonly file: string;
  readonly ref: string;
  readonly fields: Fields;
  readonly body: readonly string[];
}

/** Reads the task of a note. Returns an empty list if the note is not a task, which is reported. */
function readTask(builder: PlanBuilder, file: string, text: string): readonly ReadTask[] {
  const read = readFrontMatter(text);
  if (!read.ok) {
    builder.reportLoss(file, read.why);
    return [];
  }
  const { fields, body } = read;
  const id = fields.text('id');
  if (id !== null || fields.text('status') !== null) {
    return [{ file, ref: id ?? stemOf(file), fields, body }];
  }
  builder.reportLoss(file, lossPart('noIdOrStatus'));
  return [];
}

/** @param refs ref of each task by id and by note name, in lower case */
function addTask(
  builder: PlanBuilder,
  { file, ref, fields, body }: ReadTask,
  refs: ReadonlyMap<string, string>,
): void {
  const [owner = null, ...others] = fields.texts('assignee', 'owner');
  if (others.length > 0)
    builder.reportLoss(
      lossPart('namesOf', { names: others.join(', '), name: file }),
      lossPart('oneOwner'),
    );
  const minutes = fields.text('timeEstimate');
  const parent = fields.text('parent');
  const waits = [
    ...fields.texts('dependsOn', 'depends_on'),
    ...blockers(builder, ref, fields, refs),
  ];
  fields.skip('id', 'dateModified');
  builder.add({
    ref,
    title: fields.text('name', 'title') ?? stemOf(file),
    status: fields.text('status'),
    priority: fields.text('priority'),
    owner: owner?.replace(/^@/, '') ?? null,
    ...fields.named('scope', 'risk', 'impact', 'level', 'due', 'scheduled', 'phase'),
    estimate:
      fields.text('estimate') ?? (minutes === null || minutes === '0' ? null : `${minutes}m`),
    created: fields.text('created', 'dateCreated'),
    closed: fields.text('completed', 'completedDate', 'done', 'modified'),
    tags: fields.texts('tags'),
    parent: parent === null ? null : resolveRef(parent, refs),
    dependsOn: waits.map((name) => resolveRef(name, refs)),
    body,
    unread: fields.unread(),
  });
}

/**
 * Reads `blockedBy` of TaskNotes: names or links, or `{uid, reltype, gap}` with a link as `uid`.
 */
function blockers(
  builder: PlanBuilder,
  ref: string,
  fields: Fields,
  refs: ReadonlyMap<string, string>,
): readonly string[] {
  const plain = fields.texts('blockedBy');
  const tied = fields.records('blockedBy').flatMap((one) => {
    const uid = one.text('uid');
    if (uid === null) return [];
    const type = one.text('reltype') ?? 'FINISHTOSTART';
    const gap = one.text('gap');
    const other = resolveRef(uid, refs);
    if (type !== 'FINISHTOSTART') {
      const what = lossPart('tiedBy', { name: ref, other, type });
      builder.reportLoss(what, lossPart('onlyForTheEnd'));
      return [];
    }
    if (gap !== null) {
      builder.reportLoss(lossPart('gapBetween', { gap, name: ref, other }), lossPart('noGap'));
    }
    return [uid];
  });
  return [...tied, ...plain];
}

/**
 * The ref of a task given by its id, its note's name, or a link such as `[[Home/Paint|the paint]]`.
 */
function resolveRef(given: string, refs: ReadonlyMap<string, string>): string {
  const own = refs.get(given.toLowerCase());
  if (own !== undefined) return own;
  const link = /^\[\[([^\]|#]+)(?:[#|][^\]]*)?\]\]$/.exec(given)?.[1] ?? given;
  const name = nameOfPath(link.trim()).replace(/\.md$/i, '');
  return refs.get(name.toLowerCase()) ?? given;
}
