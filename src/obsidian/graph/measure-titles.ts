import { plainLine } from '../ui/text';

/** width in px of a title in a node */
const TITLE_WIDTH = 168;

/** Measures whether a title needs two lines in a node, with the app's own font. */
export function measureTitles(): (title: string) => boolean {
  const context = createEl('canvas').getContext('2d');
  const { fontFamily } = getComputedStyle(activeDocument.body);
  if (context !== null) context.font = `13px ${fontFamily}`;
  return (title) =>
    (context?.measureText(plainLine(title)).width ?? title.length * 7) > TITLE_WIDTH;
}
