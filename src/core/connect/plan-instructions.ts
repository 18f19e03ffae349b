/** Instructions for the model, for its client's instruction file: at most 200 words. */
export const INSTRUCTIONS = `## Plan on the task board

The MCP server \`agent-task-boards\` has the tool \`tasks\`. It keeps your plan as a note that the person reads and edits while you work.

- For work of three steps or more, plan before you begin: operation \`init\` with a title, then \`add\` for each task, with \`dependsOn\` where one waits for another. Work of one step needs no board. Keep no second list elsewhere.
- To pick up an unfinished board, in a new conversation or after the context was compacted, call \`resume\` first; the answer says which boards there are. Go on with the next ready task instead of planning anew.
- Set a task to \`in_progress\` when you begin it. Use \`complete\` as soon as it is done and checked, one by one.
- Never complete what is not done. Set it to \`failed\` or \`deferred\` and say why, or leave it open.
- Each answer says what the person changed on the board. Their changes stand: follow them.`;
