/**
 * Says what becomes of an answer that is given without a connection.
 * @param ours a tool of ours asks: what it does is done here
 */
export function OfflineNote({ connected, ours }: { readonly connected: boolean; ours?: boolean }) {
  if (connected) return null;
  return (
    <p class="atb-ask-note" role="status">
      {ours === true
        ? 'Not connected. Your answer counts at once; OpenCode is told when it is back.'
        : 'Not connected. Your answer is sent when OpenCode is back.'}
    </p>
  );
}
