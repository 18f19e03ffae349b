import type { MarkState } from '../../core/board/task-display';
import { TWO_LINE_HEIGHT, type Box, type PlanLayout } from './layout';
import { FOLDED_KEY, isOutsideKey, type DrawnTask, type PlanDrawing } from './plan-drawing';
import { t } from '../language/text';
import { plainLine } from '../ui/text';

export interface SvgColours {
  readonly ground: string;
  readonly frame: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly accent: string;
  readonly red: string;
  readonly font: string;
}

const MARGIN = 24;
/** characters of a title that fit into one line of a node */
const CHARS_PER_LINE = 26;

/** The graph as a self-contained SVG file. */
export function svgText(drawing: PlanDrawing, layout: PlanLayout, colours: SvgColours): string {
  const [width, height] = [layout.width + 2 * MARGIN, layout.height + 2 * MARGIN];
  const { ground, text, muted, font } = colours;
  const frames = new Set(drawing.tasks.map(({ frame }) => frame));
  const nodes = drawing.tasks.flatMap((one) => {
    const box = layout.boxes.get(one.task.key);
    return box === undefined ? [] : [nodeSvg(one, box, frames.has(one.task.key), colours)];
  });
  const folded = layout.boxes.get(FOLDED_KEY);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escapeXml(font)}" font-size="13">`,
    `<rect width="100%" height="100%" fill="${escapeXml(ground)}"/>`,
    `<g transform="translate(${MARGIN} ${MARGIN})">`,
    ...layout.columns.map(({ title, x }) => textElement(title, x, 12, muted)),
    ...layout.edges.map(({ from, line, tip, critical }) => {
      const colour = escapeXml(critical ? text : muted);
      const dots = isOutsideKey(from) ? ' stroke-dasharray="2 4"' : '';
      return `<path d="${line}" fill="none" stroke="${colour}" stroke-width="${critical ? 2.25 : 1.25}"${dots}/><path d="M${tip.x - 8} ${tip.y - 4}L${tip.x} ${tip.y}L${tip.x - 8} ${tip.y + 4}z" fill="${colour}"/>`;
    }),
    ...(folded === undefined
      ? []
      : [
          rect(folded, colours.ground, colours.line, 1),
          textElement(
            t('graph.finishedCount', { count: drawing.folded.length }),
            folded.x + 12,
            folded.y + 27,
            text,
          ),
        ]),
    ...drawing.outside.flatMap(({ key, title, plan, mark }) => {
      const box = layout.boxes.get(key);
      if (box === undefined) return [];
      const drawn = [rect(box, ground, colours.line, 1), markSvg(mark, box, colours)];
      return [...drawn, wordsSvg(box, plainLine(title), plan, colours)];
    }),
    ...nodes,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function nodeSvg(one: DrawnTask, box: Box, isFrame: boolean, colours: SvgColours): string {
  const { task, mark, critical, stuck } = one;
  const { text, red, line, frame, ground } = colours;
  const border = critical ? text : task.status === 'failed' ? red : line;
  const title = plainLine(task.title);
  const state = [
    ...(task.n === null ? [] : [`#${task.n}`]),
    t(`mark.${mark}`),
    ...(stuck.length > 0 ? [t('graph.stuck')] : []),
  ].join(' · ');
  return [
    rect(box, isFrame ? frame : ground, border, critical ? 1.5 : 1),
    markSvg(mark, box, colours),
    wordsSvg(box, title, state, colours),
  ].join('');
}

/** The title in one or two lines, and a small line below. */
function wordsSvg(box: Box, title: string, below: string, { text, muted }: SvgColours): string {
  const lines = box.height < TWO_LINE_HEIGHT ? [title] : wrapTitle(title);
  return [
    ...lines.map((part, at) => textElement(part, box.x + 32, box.y + 22 + at * 17, text)),
    textElement(below, box.x + 32, box.y + 22 + lines.length * 18, muted, 12),
  ].join('');
}

/** Icons of 13 by 13 px, as in the views: the shape shows the status. */
const SHAPES: Readonly<Partial<Record<MarkState, string>>> = {
  completed: 'M3 6.5L5.5 9L10 3.5',
  review: 'M3 6.5L5.5 9L10 3.5',
  failed: 'M6.5 3V7.5M6.5 9.2V10.4',
  deferred: 'M5 3.5L8 6.5L5 9.5',
  cancelled: 'M3.5 6.5H9.5',
};

function markSvg(mark: MarkState, box: Box, { accent, red, muted, ground }: SvgColours): string {
  const done = mark === 'completed';
  const colour = escapeXml(
    done || mark === 'in_progress' || mark === 'review' ? accent : mark === 'failed' ? red : muted,
  );
  const shape = SHAPES[mark];
  return [
    `<g transform="translate(${box.x + 10} ${box.y + 11})">`,
    `<rect width="13" height="13" rx="4" fill="${done ? colour : 'none'}" stroke="${colour}"${mark === 'waiting' ? ' stroke-dasharray="3 2"' : ''}/>`,
    mark === 'in_progress' &&
      `<path d="M6.5 0H4A4 4 0 0 0 0 4V9A4 4 0 0 0 4 13H6.5z" fill="${colour}"/>`,
    shape !== undefined &&
      `<path d="${shape}" fill="none" stroke="${done ? escapeXml(ground) : colour}" stroke-width="1.75"/>`,
    '</g>',
  ]
    .filter((part) => part !== false)
    .join('');
}

/** The title in one or two lines; longer ones end in "…". */
function wrapTitle(title: string): readonly string[] {
  if (title.length <= CHARS_PER_LINE) return [title];
  const cut = title.lastIndexOf(' ', CHARS_PER_LINE);
  const first = title.slice(0, cut > 0 ? cut : CHARS_PER_LINE);
  const rest = title.slice(first.length).trim();
  return [
    first,
    rest.length <= CHARS_PER_LINE ? rest : `${rest.slice(0, CHARS_PER_LINE - 1).trimEnd()}…`,
  ];
}

function rect({ x, y, width, height }: Box, fill: string, stroke: string, thick: number): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="${escapeXml(fill)}" stroke="${escapeXml(stroke)}" stroke-width="${thick}"/>`;
}

function textElement(text: string, x: number, y: number, fill: string, size = 13): string {
  return `<text x="${x}" y="${y}" fill="${escapeXml(fill)}" font-size="${size}">${escapeXml(text)}</text>`;
}

/**
 * Escapes for XML, which allows no control characters or lone surrogates, even as character
 * references.
 */
function escapeXml(text: string): string {
  return text
    .replace(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, ' ')
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
