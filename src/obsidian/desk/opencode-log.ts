import { ButtonComponent, Modal, type App } from 'obsidian';
import type { Undo } from '../../core/ports';
import { openCodeWords, type OpenCodeDesk } from './opencode-desk';

/** State and last lines of the OpenCode that was started here, as they come. */
export class OpenCodeLog extends Modal {
  private undo: Undo | undefined;

  constructor(
    app: App,
    private readonly openCode: OpenCodeDesk,
  ) {
    super(app);
  }

  override onOpen(): void {
    const { contentEl, openCode } = this;
    this.setTitle('State and log');
    this.modalEl.addClass('atb-wide');
    const state = contentEl.createEl('p', { attr: { role: 'status' } });
    const log = contentEl.createEl('pre', {
      cls: 'atb-log',
      attr: { tabindex: '0', 'aria-label': 'Log' },
    });
    const row = contentEl.createDiv({ cls: 'modal-button-container' });
    const button = new ButtonComponent(row).onClick(() => {
      if (openCode.busy) openCode.stop();
      else void openCode.start();
    });
    new ButtonComponent(row).setButtonText('Close').onClick(() => this.close());
    const draw = () => {
      state.setText(openCodeWords(openCode.state));
      const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 8;
      log.setText(openCode.log.length === 0 ? 'Nothing yet.' : openCode.log.join('\n'));
      if (atEnd) log.scrollTop = log.scrollHeight;
      button.setButtonText(openCode.busy ? 'Stop OpenCode' : 'Start OpenCode');
      button.setDisabled(!openCode.busy && !openCode.allowed);
    };
    draw();
    this.undo = openCode.onChange(draw);
  }

  override onClose(): void {
    this.undo?.();
    this.contentEl.empty();
  }
}
