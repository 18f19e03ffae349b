/** The two live regions of a window: hidden from sight, read aloud. */
export class LiveRegion {
  private readonly calm: HTMLElement;
  private readonly urgent: HTMLElement;

  constructor(parent: HTMLElement) {
    this.calm = parent.createDiv({ cls: 'atb-unseen', attr: { 'aria-live': 'polite' } });
    this.urgent = parent.createDiv({ cls: 'atb-unseen', attr: { 'aria-live': 'assertive' } });
  }

  polite(text: string): void {
    this.calm.setText(text);
  }

  assertive(text: string): void {
    this.urgent.setText(text);
  }

  close(): void {
    this.calm.remove();
    this.urgent.remove();
  }
}
