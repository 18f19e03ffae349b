import { whenRead, type SharedDeps } from './shared-rows';
import type { Row, Section } from './row';

/** What the audit view offers to the settings. */
export interface AuditDeps {
  readonly openAudit: () => void;
  readonly verifyAudit: () => void;
}

const WORDS = 'Months that entries are kept, this one included; 0 keeps them for ever.';
const MAX = 1200;

export function auditSection(shared: SharedDeps, audit: AuditDeps): Section {
  return {
    heading: 'Audit',
    rows: [
      monthsRow(shared),
      {
        name: 'What was done',
        desc: 'Each call of a tool, with the rule that decided it. Checking looks whether an entry was changed or removed.',
        draw: (setting) => {
          setting.addButton((button) =>
            button.setButtonText('Open audit').onClick(audit.openAudit),
          );
          setting.addButton((button) =>
            button.setButtonText('Check audit').onClick(audit.verifyAudit),
          );
        },
      },
    ],
  };
}

function monthsRow(deps: SharedDeps): Row {
  return {
    name: 'Keep the audit',
    desc: WORDS,
    draw: (setting) => {
      setting.addText((text) => {
        text.inputEl.inputMode = 'numeric';
        text.setDisabled(true);
        whenRead(deps, setting, ({ auditMonths }) => {
          text.setValue(String(auditMonths)).setDisabled(false);
          text.inputEl.addEventListener('change', () => {
            const value = Number(text.getValue().trim() || Number.NaN);
            const fits = Number.isInteger(value) && value >= 0 && value <= MAX;
            setting.setDesc(fits ? WORDS : `Enter a whole number from 0 to ${MAX}.`);
            text.inputEl.setAttr('aria-invalid', fits ? null : 'true');
            if (fits) void deps.changeShared({ auditMonths: value });
          });
        });
      });
    },
  };
}
