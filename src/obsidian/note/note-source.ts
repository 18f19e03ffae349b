/** A note that can't be read as a board: its text as it is, with the line that is wrong. */
export function showSource(root: HTMLElement, text: string, wrong: number): void {
  root.empty();
  const source = root.createEl('pre', { cls: 'atb-note-source' });
  text.split('\n').forEach((line, index) => {
    const element = source.createDiv({ cls: 'atb-note-line', text: line === '' ? ' ' : line });
    element.setAttr('data-line', String(index + 1));
    if (index + 1 === wrong) element.addClass('is-wrong');
  });
  source.querySelector('.is-wrong')?.scrollIntoView({ block: 'center' });
}
