import { setTooltip } from './tooltip';

/** Base class of all controls of a setting. */
export abstract class BaseComponent {
  disabled = false;

  setDisabled(disabled: boolean): this {
    this.disabled = disabled;
    return this;
  }

  then(callback: (component: this) => unknown): this {
    callback(this);
    return this;
  }
}

export abstract class ValueComponent<T> extends BaseComponent {
  #changed: ((value: T) => unknown) | undefined;

  abstract getValue(): T;
  abstract setValue(value: T): this;

  onChange(callback: (value: T) => unknown): this {
    this.#changed = callback;
    return this;
  }

  registerOptionListener(listeners: Record<string, (value?: T) => T>, key: string): this {
    listeners[key] = (value) => {
      if (value !== undefined) this.setValue(value);
      return this.getValue();
    };
    return this;
  }

  /** Notifies the listener; a rejected promise is reported as a page error. */
  protected changed(): void {
    const result = this.#changed?.(this.getValue());
    if (result instanceof Promise) result.catch(reportError);
  }
}

/** A control around one form element. */
export abstract class ElementComponent<
  T,
  E extends HTMLElement & { disabled: boolean },
> extends ValueComponent<T> {
  protected abstract readonly element: E;

  override setDisabled(disabled: boolean): this {
    this.element.disabled = disabled;
    return super.setDisabled(disabled);
  }

  setTooltip(text: string): this {
    setTooltip(this.element, text);
    return this;
  }
}
