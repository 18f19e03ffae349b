import type { Ref } from 'preact';
import { useImperativeHandle } from 'preact/hooks';
import type { ActingView, ViewActs } from './view-actions';

/** Exposes a view's actions to commands; `acts` is called each time one is looked up. */
export function useActs(handle: Ref<ActingView> | undefined, acts: () => ViewActs): void {
  useImperativeHandle(handle ?? null, () => ({
    get acts(): ViewActs {
      return acts();
    },
  }));
}
