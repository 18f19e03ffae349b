import type { Status } from '../task';
import { markOf } from './build-task';
import { refuseBroken } from './edit-header';
import { refuse, type EditRefusal, type EditResult } from './edit-result';
import { statusDate } from './edit-task';
import { checkFields, fieldWords, type FieldValues } from './edit-fields';
import { escapeText } from './escape';
import { drawId } from './give-id';
import { ANY_ID } from './ids';
import { priorityEmoji } from './line-facts';
import type { Note } from './note';
import { placeFor } from './place';
import { applySplices } from './splice';
import { checkTitle } from './title';

export interface NewTask {
  readonly title: string;
  /** key of the parent task */
  readonly parent?: string;
  /** key of the task it shall follow, as its sibling; goes before `parent` and `phase` */
  readonly after?: string;
  /** text of a heading; made at the note's end if there is none */
  readonly phase?: string;
  readonly dependsOn?: readonly string[];
  readonly status?: Status;
  readonly reason?: string;
  readonly fields?: FieldValues;
  /** local date, `YYYY-MM-DD` */
  readonly today: string;
}

/** Adds a task with the next id, and raises `next`. `key` and `id` are the new task's, and equal. */
export function addTask(note: Note, spec: NewTask): EditResult<{ key: string; id: string }> {
  const { layout, text } = note;
  if (!layout) return refuseBroken(note);
  const checked = checkTexts(spec);
  if (!checked.ok) return checked;
  const place = placeFor(note, layout, { ...spec, ...checked.texts });
  if (!place.ok) return place;
  const { id, header } = drawId(note, layout);
  const line = `${place.indent}${place.marker} ${lineFor(spec, checked.texts, id)}`;
  const put = [...place.before, line].map((each) => place.eol + each).join('');
  const edited = applySplices(text, [...header, { from: place.at, to: place.at, text: put }]);
  return { ok: true, text: edited, key: id, id };
}

interface Texts {
  readonly title: string;
  readonly phase?: string;
  readonly fields: FieldValues;
}

function checkTexts(spec: NewTask): { ok: true; texts: Texts } | EditRefusal {
  const title = checkTitle(spec.title);
  if (!title.ok) return title;
  const { reason } = spec;
  const fields = checkFields({ ...spec.fields, ...(reason !== undefined && { reason }) });
  if (!fields.ok) return fields;
  let texts: Texts = { title: title.title, fields: fields.values };
  if (spec.phase !== undefined) {
    const phase = checkTitle(spec.phase, 'phase');
    if (!phase.ok) return { ...phase, code: 'bad_phase' };
    texts = { ...texts, phase: phase.title };
  }
  const bad = spec.dependsOn?.find((id) => !ANY_ID.test(id));
  if (bad !== undefined) return refuse('bad_id', `"${bad}" can't be the id of a task.`);
  return { ok: true, texts };
}

/** The line from its mark on. */
function lineFor(spec: NewTask, { title, fields }: Texts, id: string): string {
  const status = spec.status ?? 'pending';
  const dependsOn = [...new Set(spec.dependsOn)].join(',');
  const { priority, due } = fields;
  return [
    `[${markOf(status)}]`,
    escapeText(title),
    fieldWords(fields),
    `🆔 ${id}`,
    dependsOn === '' ? '' : `⛔ ${dependsOn}`,
    (priority && priorityEmoji(priority)) ?? '',
    due === undefined || due === null ? '' : `📅 ${due}`,
    statusDate(status, spec.today) ?? '',
    `^${id}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}
