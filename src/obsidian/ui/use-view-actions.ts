import type { Ref } from 'preact';
import { useImperativeHandle } from 'preact/hooks';
import type { ChosenTask, ViewWithActions, ViewActions } from './view-actions';

/**
 * Exposes a view's actions and its focused task to commands; `acts` and `chosen` are called each
 * time one is looked up.
 */
export function useViewActions(
  handle: Ref<ViewWithActions> | undefined,
  acts: () => ViewActions,
  chosen?: () => ChosenTask | undefined,
): void {
  useImperativeHandle(handle ?? null, () => ({
    get acts(): ViewActions {
      return acts();
    },
    get chosen(): ChosenTask | undefined {
      return chosen?.();
    },
  }));
}
