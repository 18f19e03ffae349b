import { plainLine } from '../ui/text';

/** px that a title has in a node */
const TITLE_WIDTH = 168;

/** Whether a title needs two lines of a node, measured with the app's own font. */
export function measureTitles(): (title: string) => boolean {
  const context = createEl('canvas').getContext('2d');
  const { fontFamily } = getComputedStyle(activeDocument.body);
  if (context !== null) context.font = `13px ${fontFamily}`;
  return (title) =>
    (context?.measureText(plainLine(title)).width ?? title.length * 7) > TITLE_WIDTH;
}
