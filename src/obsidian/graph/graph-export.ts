import type { App } from 'obsidian';
import type { Board } from '../../core/board/task';
import { mermaidText } from '../../core/exchange/export-graph';
import type { NoteStore } from '../../core/ports';
import type { BoardActions } from '../board/board-actions';
import { exportAs, exportPath, notifyExported } from '../board/import-export';
import type { Overview } from '../model/overview';
import { pick, type PickItem } from '../ui/dialog';
import { copyText, notify } from '../ui/notify';
import { loadDagre, layoutPlan } from './layout';
import { measureTitles } from './measure-titles';
import { DEFAULT_TOGGLES, MAX_DRAWN, outsideTasks, planDrawing } from './plan-drawing';
import { svgText, type SvgColours } from './plan-svg';
import { t } from '../language/text';

type GraphExportFormat = 'svg' | 'png' | 'note' | 'copy';

const EXPORT_FORMATS: readonly PickItem<GraphExportFormat>[] = [
  { text: t('graph.sVGPicture'), value: 'svg' },
  { text: t('graph.pNGPicture'), value: 'png' },
  { text: t('graph.noteWithAMermaidGraph'), value: 'note' },
  { text: t('graph.mermaidToClipboard'), value: 'copy' },
];

interface ExportDeps {
  readonly plugin: { readonly app: App };
  readonly parts: { readonly store: NoteStore };
  readonly boards: BoardActions;
  readonly services: { readonly overview: Pick<Overview, 'state'> };
}

/** Asks for the format, and exports the graph to the folder of new notes or to the clipboard. */
export async function exportGraph(
  { plugin: { app }, parts: { store }, boards: { writes }, services: { overview } }: ExportDeps,
  board: Board,
): Promise<void> {
  const format = await pick(
    app,
    EXPORT_FORMATS,
    t('graph.exportGraphOfTitleAs', { title: board.title }),
  );
  if (format === undefined) return;
  if (format === 'note') return exportAs(app, store, writes, board, 'mermaid');
  if (format === 'copy') return copyText(mermaidText(board), notify, t('graph.mermaidTextCopied'));
  const outside = outsideTasks(board, overview.state.boards);
  const drawing = planDrawing(board, { ...DEFAULT_TOGGLES, finished: true }, outside);
  const count = drawing.tasks.length;
  if (count > MAX_DRAWN) {
    notify(t('graph.tooManyForPicture', { count }));
    return;
  }
  await notifyExported(app, writes, async () => {
    const layout = layoutPlan(drawing, await loadDagre(), measureTitles());
    const svg = svgText(drawing, layout, themeColours());
    const path = exportPath(app, t('graph.titleGraph', { title: board.title }), `.${format}`);
    const { vault } = app;
    const first =
      format === 'svg'
        ? await vault.create(path, svg)
        : await vault.createBinary(path, await renderPng(svg));
    return { first, place: first.path };
  });
}

/** The theme's current colours as values, since a picture can't use CSS variables. */
function themeColours(): SvgColours {
  const style = getComputedStyle(activeDocument.body);
  const cssValue = (name: string, other: string) => style.getPropertyValue(name).trim() || other;
  return {
    ground: cssValue('--background-primary', '#ffffff'),
    frame: cssValue('--background-secondary', '#f6f6f6'),
    text: cssValue('--text-normal', '#222222'),
    muted: cssValue('--text-muted', '#5c5c5c'),
    line: cssValue('--background-modifier-border', '#cccccc'),
    accent: cssValue('--interactive-accent', '#7852ee'),
    red: cssValue('--color-red', '#e93147'),
    font: style.fontFamily,
  };
}

/** Scale of the PNG, so that it stays sharp. */
const PNG_SCALE = 2;
/** px of a canvas side that all platforms allow */
const MAX_CANVAS_SIDE = 8_192;

async function renderPng(svg: string): Promise<ArrayBuffer> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const { naturalWidth: width, naturalHeight: height } = image;
  const scale = Math.min(PNG_SCALE, MAX_CANVAS_SIDE / width, MAX_CANVAS_SIDE / height);
  const canvas = createEl('canvas');
  [canvas.width, canvas.height] = [Math.ceil(width * scale), Math.ceil(height * scale)];
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob === null) throw new Error(t('graph.thePictureIsTooLarge'));
  return blob.arrayBuffer();
}
