/**
 * A minimal plugin that uses each part of the app that the workbench replaces. It is loaded as
 * text, the way the app loads main.js.
 */
export const FIXTURE_PLUGIN = `
const { Plugin, ItemView, Modal, Notice, Menu, PluginSettingTab, Setting, FuzzySuggestModal,
  MarkdownRenderer, setIcon, Platform, requireApiVersion } = require('obsidian');

class FixtureView extends ItemView {
  getViewType() { return 'fixture-view'; }
  getDisplayText() { return 'Fixture tasks'; }
  getIcon() { return 'list-checks'; }
  async onOpen() {
    this.contentEl.createDiv({ cls: 'fixture-open', text: 'opened' });
    this.addAction('message-square-plus', 'Start session', () => new Notice('started'));
  }
  async setState(state, result) {
    await super.setState(state, result);
    this.note = state.note;
    this.contentEl.createDiv({ cls: 'fixture-state', text: String(state.note) });
  }
  getState() { return { note: this.note }; }
  async onClose() { window.fixtureClosed.push('view'); }
}

class FixtureModal extends Modal {
  onOpen() { this.setTitle('Allow a command?'); this.contentEl.createEl('input', { type: 'text', cls: 'fixture-input' }); }
  onClose() { window.fixtureClosed.push('modal'); }
}

class FixtureSuggest extends FuzzySuggestModal {
  getItems() { return ['build', 'plan', 'explore']; }
  getItemText(item) { return item; }
  onChooseItem(item) { new Notice('chose ' + item); }
}

class FixtureTab extends PluginSettingTab {
  constructor(app, plugin) { super(app, plugin); this.plugin = plugin; }
  display() {
    new Setting(this.containerEl).setName('Connect automatically').setDesc('When the vault opens.')
      .addToggle((toggle) => toggle.setValue(this.plugin.data.auto).onChange(async (value) => {
        this.plugin.data.auto = value; await this.plugin.saveData(this.plugin.data); }));
    new Setting(this.containerEl).setName('Board folder').addText((text) => text.setPlaceholder('.opencode/todos')
      .onChange(async (value) => { this.plugin.data.root = value; await this.plugin.saveData(this.plugin.data); }));
    new Setting(this.containerEl).setName('Agent').addDropdown((dropdown) => dropdown
      .addOptions({ build: 'build', plan: 'plan' }).onChange((value) => new Notice('agent ' + value)));
    new Setting(this.containerEl).addButton((button) => button.setButtonText('Try').setCta().onClick(() => new Notice('tried')));
  }
}

class DefinedTab extends PluginSettingTab {
  constructor(app, plugin) { super(app, plugin); this.plugin = plugin; }
  getSettingDefinitions() {
    return [{ type: 'group', heading: 'Boards', items: [
      { name: 'Confirm', desc: 'Ask first.', control: { type: 'toggle', key: 'confirm' } },
      { name: 'Root', visible: () => this.plugin.data.confirm === true,
        control: { type: 'text', key: 'root', validate: (value) => value.includes('..') ? 'Not outside the vault.' : undefined } },
    ] }];
  }
  getControlValue(key) { return this.plugin.data[key]; }
  setControlValue(key, value) { this.plugin.data[key] = value; return this.plugin.saveData(this.plugin.data); }
}

module.exports = class FixturePlugin extends Plugin {
  async onload() {
    this.data = Object.assign({ auto: false }, await this.loadData());
    this.events = [];
    window.fixture = this;
    window.fixtureModules = { MarkdownRenderer, setIcon, Platform, requireApiVersion, Menu, ItemView, FixtureView, require };
    window.fixtureClosed = [];
    this.registerView('fixture-view', (leaf) => new FixtureView(leaf));
    this.addSettingTab(new FixtureTab(this.app, this));
    this.addSettingTab(new DefinedTab(this.app, this));
    this.addRibbonIcon('list-checks', 'Open fixture', () => this.open());
    this.status = this.addStatusBarItem();
    this.status.setText('5 of 18');
    this.addCommand({ id: 'open', name: 'Open fixture sidebar', callback: () => this.open() });
    this.addCommand({ id: 'ask', name: 'Review permission', callback: () => new FixtureModal(this.app).open() });
    this.addCommand({ id: 'pick', name: 'Pick agent', callback: () => new FixtureSuggest(this.app).open() });
    this.addCommand({ id: 'never', name: 'Not now', checkCallback: () => false });
    for (const name of ['create', 'modify', 'delete', 'rename']) {
      this.registerEvent(this.app.vault.on(name, (file) => this.events.push(name + ' ' + file.path)));
    }
    this.registerEvent(this.app.vault.on('raw', (path) => this.events.push('raw ' + path)));
    this.app.workspace.onLayoutReady(() => { this.layoutReady = true; });
  }
  async open() {
    const leaf = this.app.workspace.getRightLeaf(false);
    await leaf.setViewState({ type: 'fixture-view', active: true, state: { note: 'one' } });
    await this.app.workspace.revealLeaf(leaf);
  }
};
`;
