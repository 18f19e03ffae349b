import * as mocks from 'obsidian-test-mocks/obsidian';
import { requestUrl } from '../node/http-module';
import { apiVersion, requireApiVersion } from './api-version';
import { App } from './app';
import { BasesView } from './bases';
import { BaseComponent, ValueComponent } from './base-component';
import { ButtonComponent, ExtraButtonComponent } from './button-components';
import * as choice from './choice-components';
import { EditableFileView, FileView, TextFileView } from './file-view';
import * as fuzzy from './fuzzy-search';
import { FuzzySuggestModal } from './fuzzy-suggest-modal';
import { addIcon, getIcon, getIconIds, removeIcon, setIcon } from './icons';
import { AbstractInputSuggest } from './input-suggest';
import { ItemView } from './item-view';
import { Keymap } from './keymap';
import { MarkdownRenderChild, MarkdownRenderer } from './markdown-renderer';
import { MarkdownView } from './markdown-view';
import { Menu } from './menu';
import { MenuItem, MenuSeparator } from './menu-item';
import { Modal } from './modal';
import { Notice } from './notice';
import { Platform } from './platform';
import { CapacitorAdapter, FileSystemAdapter } from './platform-adapters';
import { Plugin } from './plugin';
import { ProgressBarComponent } from './progress-bar';
import { Scope } from './scope';
import { SecretStorage } from './secret-storage';
import { Setting } from './setting';
import { SettingGroup } from './setting-group';
import { PluginSettingTab, SettingTab } from './setting-tab';
import { SuggestModal } from './suggest-modal';
import * as text from './text-components';
import { displayTooltip, setTooltip } from './tooltip';
import { Vault } from './vault';
import { View } from './view';
import { Workspace } from './workspace';
import { WorkspaceArea } from './workspace-area';
import { WorkspaceLeaf } from './workspace-leaf';

const corrected = {
  ...{ App, Vault, Workspace, WorkspaceLeaf, View, ItemView, FileView, EditableFileView },
  ...{ TextFileView, MarkdownView, MarkdownRenderer, MarkdownRenderChild, Plugin, Platform },
  ...{ WorkspaceSidedock: WorkspaceArea, WorkspaceRoot: WorkspaceArea, SecretStorage },
  ...{ FileSystemAdapter, CapacitorAdapter, Scope, Keymap, apiVersion, requireApiVersion },
  ...{ Modal, SuggestModal, FuzzySuggestModal, AbstractInputSuggest, Notice },
  ...{ Menu, MenuItem, MenuSeparator, Setting, SettingGroup, SettingTab, PluginSettingTab },
  ...{ BasesView, BaseComponent, ValueComponent, ButtonComponent, ExtraButtonComponent },
  ...{ ProgressBarComponent, ...choice, ...text, ...fuzzy },
  /** The language that the person chose, read when the page loads, as in the app. */
  getLanguage: () => window.localStorage.getItem('language') ?? 'en',
  requestUrl,
  ...{ addIcon, getIcon, getIconIds, removeIcon, setIcon, setTooltip, displayTooltip },
};

/** The exports that `require('obsidian')` returns to a plugin; reading one that the app lacks throws. */
export const obsidianModule: object = new Proxy(
  { ...mocks, ...corrected, __esModule: true },
  {
    get(target, name, receiver): unknown {
      if (typeof name === 'symbol' || name in target) return Reflect.get(target, name, receiver);
      throw new Error(`obsidian has no export "${name}"`);
    },
  },
);
