import { ButtonComponent, type App } from 'obsidian';
import type { Undo } from '../../core/ports';
import { t } from '../language/text';
import { FocusTrapModal } from '../ui/dialog';
import type { Launcher, ProgramState } from './launcher';

/**
 * A program's state in words, for the settings and the log.
 * @param name of the program
 */
export function programState(state: ProgramState, name: string): string {
  switch (state.kind) {
    case 'off':
      return t('program.off', { name });
    case 'starting':
      return name === 'OpenCode' ? t('program.openCodeStarts') : t('program.starts', { name });
    case 'running':
      return state.url === undefined
        ? t('program.runs', { name })
        : t('program.runsAt', { name, url: state.url });
    case 'failed':
      return state.message;
  }
}

/** Shows a program's state and last lines of output, live. */
export class ProgramLog extends FocusTrapModal {
  private undo: Undo | undefined;

  constructor(
    app: App,
    private readonly name: string,
    private readonly launcher: Launcher,
  ) {
    super(app);
  }

  override onOpen(): void {
    const { contentEl, launcher, name } = this;
    this.setTitle(t('program.stateAndLog'));
    this.modalEl.addClass('atb-wide');
    const state = contentEl.createEl('p', { attr: { role: 'status' } });
    const log = contentEl.createEl('pre', {
      cls: 'atb-log',
      attr: { tabindex: '0', 'aria-label': t('program.log') },
    });
    const row = contentEl.createDiv({ cls: 'modal-button-container' });
    const button = new ButtonComponent(row).onClick(() => {
      if (launcher.busy) launcher.stop();
      else void launcher.start();
    });
    new ButtonComponent(row).setButtonText(t('common.close')).onClick(() => this.close());
    const draw = () => {
      state.setText(programState(launcher.state, name));
      const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 8;
      log.setText(launcher.log.length === 0 ? t('program.nothingYet') : launcher.log.join('\n'));
      if (atEnd) log.scrollTop = log.scrollHeight;
      button.setButtonText(t(launcher.busy ? 'program.stop' : 'program.start', { name }));
      button.setDisabled(!launcher.busy && !launcher.allowed);
    };
    draw();
    this.undo = launcher.onChange(draw);
  }

  override onClose(): void {
    this.undo?.();
    this.contentEl.empty();
  }
}
