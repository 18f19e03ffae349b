import type { SettingControl } from 'obsidian';
import type { Setting } from './setting';
import type { SettingTab } from './setting-tab';

/**
 * Adds the control of a definition and binds it to the tab's value; a value that `validate` rejects
 * is not saved.
 */
export function addControl(tab: SettingTab, setting: Setting, control: SettingControl): void {
  const value = tab.getControlValue(control.key) ?? control.defaultValue;
  const save = (next: unknown) => void saveValue(tab, setting, control, next).catch(reportError);
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  switch (control.type) {
    case 'toggle':
      setting.addToggle((toggle) => toggle.setValue(value === true).onChange(save));
      return;
    case 'dropdown':
      setting.addDropdown((dropdown) =>
        dropdown.addOptions(control.options).setValue(text).onChange(save),
      );
      return;
    case 'textarea':
      setting.addTextArea((area) => area.setValue(text).onChange(save));
      return;
    case 'number':
      setting.addText((input) => {
        input.inputEl.type = 'number';
        input.setValue(text).onChange((next) => save(next === '' ? undefined : Number(next)));
      });
      return;
    case 'slider':
      setting.addSlider((slider) => {
        slider.setLimits(control.min, control.max, control.step);
        slider.setValue(Number(value ?? control.min)).onChange(save);
      });
      return;
    case 'color':
      setting.addColorPicker((picker) => picker.setValue(text).onChange(save));
      return;
    case 'text':
    case 'file':
    case 'folder':
      setting.addText((input) => {
        const { placeholder } = control as { placeholder?: string };
        input
          .setPlaceholder(placeholder ?? '')
          .setValue(text)
          .onChange(save);
      });
  }
}

async function saveValue(
  tab: SettingTab,
  setting: Setting,
  control: SettingControl,
  value: unknown,
): Promise<void> {
  const validate = control.validate as
    ((value: unknown) => string | undefined | Promise<string | undefined>) | undefined;
  const wrong = await validate?.(value);
  setting.setErrorMessage(wrong ?? null);
  if (wrong) return;
  await tab.setControlValue(control.key, value);
  tab.refreshDomState();
}
