import { Modal, type App } from 'obsidian';
import { render } from 'preact';
import { DiffLines } from '../ask/diff';
import { textDiff } from '../ask/text-diff';

export interface Versions {
  /** of the note */
  readonly name: string;
  readonly earlier: string;
  readonly now: string;
  /** when the change was that came after the earlier one, in words */
  readonly at: string;
  readonly open: () => void;
  /** of the earlier one */
  readonly copy: () => void;
}

/** Shows what a note says now beside what it said before a change. */
export function compareVersions(app: App, versions: Versions): void {
  new VersionsModal(app, versions).open();
}

class VersionsModal extends Modal {
  constructor(
    app: App,
    private readonly versions: Versions,
  ) {
    super(app);
    this.modalEl.addClasses(['atb-dialog', 'atb-wide']);
    this.setTitle(`Two versions of ${versions.name}`);
  }

  override onOpen(): void {
    const close = (then: () => void) => () => {
      this.close();
      then();
    };
    const { open, copy } = this.versions;
    render(
      <VersionsBody versions={{ ...this.versions, open: close(open), copy }} />,
      this.contentEl,
    );
  }

  override onClose(): void {
    render(null, this.contentEl);
  }
}

function VersionsBody({ versions }: { readonly versions: Versions }) {
  const { name, earlier, now, at, open, copy } = versions;
  const lines = textDiff(earlier, now);
  return (
    <>
      <p>
        Lines with - are only in the version before the change of {at}, lines with + only in the
        note as it is now.
      </p>
      {lines.length === 0 && <p>Both say the same.</p>}
      <DiffLines lines={lines} name={`What changed in ${name} since`} />
      <div class="atb-buttons">
        <button type="button" class="atb-button" onClick={open}>
          Open note
        </button>
        <button type="button" class="atb-button" onClick={copy}>
          Copy earlier version
        </button>
      </div>
    </>
  );
}
