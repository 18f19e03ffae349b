import type { MessageInfo } from './opencode-event';

/** The model of a message as `provider/model`; undefined where OpenCode doesn't say. */
export function modelOf({ model, ...own }: MessageInfo): string | undefined {
  const { providerID, modelID } = model ?? own;
  return providerID === undefined || modelID === undefined ? undefined : `${providerID}/${modelID}`;
}
