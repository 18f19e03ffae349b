import { readFrontMatter } from './front-matter';
import type { Left } from './imported-plan';
import { foldersIn, nameOfPath, stemOf } from './import-source';
import { PlanBuilder } from './plan-builder';
import type { PlanReader } from './plan-readers';
import { plansOf, readFiles, readText } from './source-files';

/**
 * A folder with one note per task, each with front matter: `id`, `name` or `title`, `status`,
 * `dependsOn` or `depends_on`, `scope`, `risk`, `impact`, `level`, `priority`, `tags`, `assignee`,
 * `due`, `created`. The text of the note is the body.
 */
export const readTaskNotes: PlanReader = async (source) => {
  const { reader, path } = source;
  const builder = new PlanBuilder();
  const left: Left[] = [];
  if (source.kind === 'file') {
    const read = await readText(reader, path);
    if (!read.ok) return read;
    addNote(builder, nameOfPath(path), read.text);
  } else {
    for (const { name, text } of await readFiles(reader, path, '.md', left)) {
      addNote(builder, name, text);
    }
    const folders = await foldersIn(reader, path);
    for (const folder of folders) left.push({ what: folder, why: 'Folders inside are not read.' });
  }
  const name = stemOf(path);
  const plan = builder.build({ kind: 'task-notes', name });
  return plansOf('task-notes', source, [plan], left);
};

function addNote(builder: PlanBuilder, file: string, text: string): void {
  const read = readFrontMatter(text);
  if (!read.ok) {
    builder.leave(file, read.why);
    return;
  }
  const { fields, body } = read;
  const status = fields.text('status');
  const id = fields.text('id');
  if (id === null && status === null) {
    builder.leave(file, 'It has neither an id nor a status, so it is no task.');
    return;
  }
  const [owner = null, ...others] = fields.texts('assignee', 'owner');
  if (others.length > 0) builder.leave(`${others.join(', ')} of ${file}`, 'A task has one owner.');
  builder.add({
    ref: id ?? stemOf(file),
    title: fields.text('name', 'title') ?? stemOf(file),
    status,
    priority: fields.text('priority'),
    owner: owner?.replace(/^@/, '') ?? null,
    scope: fields.text('scope'),
    risk: fields.text('risk'),
    impact: fields.text('impact'),
    level: fields.text('level'),
    estimate: fields.text('estimate'),
    due: fields.text('due'),
    created: fields.text('created'),
    closed: fields.text('completed', 'done', 'modified'),
    tags: fields.texts('tags'),
    parent: fields.text('parent'),
    phase: fields.text('phase'),
    dependsOn: fields.texts('dependsOn', 'depends_on'),
    body,
    unread: fields.unread(),
  });
}
