import { Fields, importResult, readText } from './source-files';
import {
  filesIn,
  foldersIn,
  nameOfPath,
  type ImportSource,
  type ImportLoss,
  type PlanReader,
} from './imported-plan';
import { importLoss, lossPart } from './import-fault';
import { PlanBuilder } from './plan-builder';
import { criteriaLines, linesIn } from './source-task';

/** Names of beads' issue file, the newer one first. */
export const BEADS_FILES = ['issues.jsonl', 'beads.jsonl'] as const;

/** By number: from 0, the most urgent, to 4. */
const PRIORITIES = ['critical', 'high', 'medium', 'low', 'lowest'] as const;

/** Link types that block an issue from being started. */
const BLOCKING_TYPES: ReadonlySet<string> = new Set(['blocks', 'conditional-blocks', 'waits-for']);

/** Internal fields of beads, not reported as unread. */
const INTERNAL_FIELDS = [
  ...['updated_at', 'created_by', 'owner', 'closed_by_session', 'content_hash', 'source_repo'],
  ...['compaction_level', 'compacted_at', 'compacted_at_commit', 'original_size'],
  ...['dependency_count', 'dependent_count', 'comment_count', '_type'],
];

/**
 * Reads issues of beads: `.beads/issues.jsonl`, one JSON object per line. A type other than `task`
 * becomes a tag, acceptance criteria become `Success:` lines, the reason for closing a `Result:`
 * line. Deleted issues are left out.
 */
export const readBeads: PlanReader = async (source) => {
  const path = source.kind === 'file' ? source.path : await fileIn(source);
  const read = await readText(source.reader, path);
  if (!read.ok) return read;
  const left: ImportLoss[] = [];
  const issues = issuesIn(read.text, nameOfPath(path), left);
  const refs = new Set(issues.flatMap((issue) => issue.text('id')?.toLowerCase() ?? []));
  const builder = new PlanBuilder();
  const links = new Links(refs);
  for (const issue of issues) addIssue(builder, issue, links);
  left.push(...links.left());
  return importResult('beads', source, [builder.build({ kind: 'beads', name: 'beads' })], left);
};

/** Path of the issue file in a project's folder or in its `.beads`. */
async function fileIn({ reader, path }: ImportSource): Promise<string> {
  const inside = (await foldersIn(reader, path)).includes('.beads');
  const folder = inside ? `${path}/.beads` : path;
  const names = await filesIn(reader, folder, '.jsonl');
  return `${folder}/${BEADS_FILES.find((name) => names.includes(name)) ?? BEADS_FILES[0]}`;
}

/** Whether the first line that is not blank is an issue of beads. */
export function isBeads(text: string): boolean {
  const issue = issueOf(text.split('\n').find((line) => line.trim() !== '') ?? '');
  return (
    issue !== undefined &&
    issue.text('id') !== null &&
    issue.text('title') !== null &&
    issue.text('status', 'issue_type') !== null
  );
}

function issuesIn(text: string, name: string, left: ImportLoss[]): readonly Fields[] {
  let deleted = 0;
  const issues = text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    const issue = issueOf(line);
    if (issue === undefined)
      left.push(
        importLoss(lossPart('lineOfFile', { line: String(at + 1), name }), lossPart('notJson')),
      );
    else if (issue.text('status') === 'tombstone') deleted += 1;
    else return [issue];
    return [];
  });
  if (deleted > 0) {
    const count = String(deleted);
    left.push(importLoss(lossPart('deletedIssues', { count }), lossPart('wereDeleted', { count })));
  }
  return issues;
}

function issueOf(line: string): Fields | undefined {
  try {
    return Fields.of(JSON.parse(line));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Parents and prerequisites of issues. Counts links that a board can't have, by type. */
class Links {
  private readonly others = new Map<string, number>();

  constructor(private readonly refs: ReadonlySet<string>) {}

  of(issue: Fields, ref: string | null): { parent: string | null; dependsOn: readonly string[] } {
    const dependsOn: string[] = [];
    let parent: string | null = null;
    for (const link of issue.records('dependencies')) {
      const to = link.text('depends_on_id');
      const type = link.text('type') ?? 'blocks';
      if (to === null) continue;
      if (BLOCKING_TYPES.has(type)) dependsOn.push(to);
      else if (type === 'parent-child' && parent === null) parent = to;
      else this.others.set(type, (this.others.get(type) ?? 0) + 1);
    }
    const dotted = /^(.+)\.\d+$/.exec(ref ?? '')?.[1] ?? null;
    const known = dotted !== null && this.refs.has(dotted.toLowerCase());
    return { parent: parent ?? (known ? dotted : null), dependsOn };
  }

  left(): readonly ImportLoss[] {
    return [...this.others].map(([type, count]) =>
      importLoss(lossPart('links', { type, count: String(count) }), lossPart('noSuchLink')),
    );
  }
}

function addIssue(builder: PlanBuilder, issue: Fields, links: Links): void {
  const ref = issue.text('id');
  const type = issue.text('issue_type') ?? 'task';
  const minutes = issue.text('estimated_minutes');
  const external = issue.text('external_ref');
  issue.skip(...INTERNAL_FIELDS);
  builder.add({
    ref,
    title: issue.text('title'),
    status: issue.text('status'),
    priority: PRIORITIES[Number(issue.text('priority') ?? NaN)] ?? issue.text('priority'),
    owner: issue.text('assignee'),
    estimate: minutes === null || minutes === '0' ? null : `${minutes}m`,
    created: issue.text('created_at'),
    start: issue.text('defer_until'),
    due: issue.text('due_at'),
    closed: issue.text('closed_at'),
    tags: [...(type === 'task' ? [] : [type]), ...issue.texts('labels')],
    fields: external === null ? [] : [{ key: 'external_ref', value: external }],
    ...links.of(issue, ref),
    body: bodyOf(issue),
    unread: issue.unread(),
  });
}

function bodyOf(issue: Fields): readonly string[] {
  const section = (title: string, text: string | null): readonly string[] =>
    text === null ? [] : [`**${title}**`, ...linesIn(text)];
  const reason = issue.text('close_reason');
  return [
    ...linesIn(issue.text('description')),
    ...section('Design', issue.text('design')),
    ...section('Notes', issue.text('notes')),
    ...criteriaLines(issue.value('acceptance_criteria')),
    ...issue.records('comments').flatMap((comment) => {
      const day = comment.text('created_at')?.slice(0, 10) ?? '';
      const title = `Comment of ${comment.text('author') ?? 'somebody'}, ${day}`;
      return section(title, comment.text('text'));
    }),
    ...(reason === null ? [] : [`Result: ${reason.replace(/\s+/g, ' ')}`]),
  ];
}
