import type { Secret } from '../adapter/secret';
import { loopbackAddress } from './own-settings';
import type { Row, Section } from './row';
import type { SettingsStore } from './settings-store';

export interface ConnectionDeps {
  readonly settings: SettingsStore;
  readonly token: Secret;
  /** The address or the token was changed. */
  readonly reconnect: () => void;
}

/** How OpenCode is reached. */
export function connectionSection(deps: ConnectionDeps): Section {
  return {
    heading: 'Connection',
    rows: [automaticRow(deps), addressRow(deps), tokenRow(deps), agentRow(deps)],
  };
}

const ADDRESS_WORDS = 'Leave empty to find OpenCode by itself. Else like ws://127.0.0.1:4000/.';

function automaticRow({ settings }: ConnectionDeps): Row {
  return {
    name: 'Connect automatically',
    desc: 'Connects when Obsidian starts, and whenever OpenCode starts in this vault.',
    draw: (setting) => {
      setting.addToggle((toggle) =>
        toggle
          .setValue(settings.current.connectAutomatically)
          .onChange((connectAutomatically) => settings.change({ connectAutomatically })),
      );
    },
  };
}

function addressRow({ settings, reconnect }: ConnectionDeps): Row {
  return {
    name: 'Address',
    desc: ADDRESS_WORDS,
    draw: (setting) => {
      setting.addText((text) => {
        text.setPlaceholder('127.0.0.1:4000').setValue(settings.current.address);
        text.inputEl.addEventListener('change', () => {
          const address = loopbackAddress(text.getValue());
          const wrong = 'This is no address on this machine. It looks like ws://127.0.0.1:4000/.';
          setting.setDesc(address === undefined ? wrong : ADDRESS_WORDS);
          text.inputEl.setAttr('aria-invalid', address === undefined ? 'true' : null);
          if (address !== undefined) void settings.change({ address }).then(reconnect);
        });
      });
    },
  };
}

function tokenRow({ token, reconnect }: ConnectionDeps): Row {
  return {
    name: 'Token',
    desc: 'Only with an address of your own. Kept as a secret, never in a file of the vault.',
    draw: (setting) => {
      setting.addText((text) => {
        text.inputEl.type = 'password';
        text.inputEl.autocomplete = 'off';
        text.setValue(token.get());
        text.inputEl.addEventListener('change', () => {
          token.set(text.getValue().trim());
          reconnect();
        });
      });
    },
  };
}

function agentRow({ settings }: ConnectionDeps): Row {
  return {
    name: 'Default agent',
    desc: 'The agent of sessions that you start here. Leave empty for OpenCode’s own default.',
    draw: (setting) => {
      setting.addText((text) =>
        text
          .setPlaceholder('Agent')
          .setValue(settings.current.defaultAgent)
          .onChange((value) => settings.change({ defaultAgent: value.trim() })),
      );
    },
  };
}
