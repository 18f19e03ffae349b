-- Run by the real Neovim, headless: opens a board, asks the server what an editor asks, and makes its
-- edits. Writes what came of it, as JSON, into the file that $RESULT names.
local board, program, node = os.getenv('BOARD'), os.getenv('PROGRAM'), os.getenv('NODE')
local result = {}
local WAIT = 60000

local function main()
  vim.cmd('edit ' .. vim.fn.fnameescape(board))
  vim.bo.filetype = 'markdown'
  local buffer = vim.api.nvim_get_current_buf()
  local client = vim.lsp.start_client({
    name = 'agent-boards',
    cmd = { node, program, 'lsp', '--stdio' },
    root_dir = vim.fn.fnamemodify(board, ':h'),
  })
  vim.lsp.buf_attach_client(buffer, client)
  assert(vim.wait(WAIT, function() return vim.lsp.get_client_by_id(client).initialized end))

  local function ask(method, extra)
    local params = vim.tbl_extend('force', vim.lsp.util.make_position_params(), extra or {})
    local answers, fault = vim.lsp.buf_request_sync(buffer, method, params, WAIT)
    assert(answers, fault)
    local answer = answers[client] or {}
    assert(not answer.error, vim.inspect(answer.error))
    return answer.result
  end
  local function go(words)
    assert(vim.fn.search('\\V' .. words, 'w') > 0, words)
  end
  local function line() return vim.api.nvim_get_current_line() end
  local offset = vim.lsp.get_client_by_id(client).offset_encoding

  local function problems() return vim.diagnostic.get(buffer) end
  assert(vim.wait(WAIT, function() return #problems() == 1 end), vim.inspect(problems()))
  result.diagnostic = problems()[1].message

  go('Segment')
  result.hover = ask('textDocument/hover').contents.value
  go('k3f9-3 ^k3f9-5')
  result.definition = ask('textDocument/definition').range.start.line + 1
  result.references = #ask('textDocument/references', { context = { includeDeclaration = true } })
  local symbols = ask('textDocument/documentSymbol')
  result.symbols = vim.lsp.util.symbols_to_items(symbols, buffer)
  result.symbols = vim.tbl_map(function(one) return one.text end, result.symbols)
  result.folds = #ask('textDocument/foldingRange')

  -- What a person types: the server follows each change.
  vim.cmd('normal! Go- [ ] New 🎌 ⛔ ')
  vim.cmd('startinsert!')
  vim.api.nvim_win_set_cursor(0, { vim.fn.line('$'), #line() })
  local params = vim.lsp.util.make_position_params()
  params.position.character = vim.str_utfindex(line()) + 1
  local items = ask('textDocument/completion', params).items
  result.completion = vim.tbl_map(function(one) return one.textEdit.newText end, items)
  vim.cmd('stopinsert')
  vim.cmd('undo')

  local function act(title)
    local context = { diagnostics = {} }
    local actions = ask('textDocument/codeAction', vim.tbl_extend('force', vim.lsp.util.make_range_params(), { context = context }))
    for _, action in ipairs(actions) do
      if action.title == title then
        local answers = vim.lsp.buf_request_sync(buffer, 'codeAction/resolve', action, WAIT)
        vim.lsp.util.apply_workspace_edit(answers[client].result.edit, offset)
        return
      end
    end
    error('no action ' .. title .. ' in ' .. vim.inspect(actions))
  end
  go('Publish')
  act('Set "Publish" to completed')
  result.completed = line()
  go('Segment')
  vim.lsp.util.apply_workspace_edit(ask('textDocument/rename', { newName = 'Segment CJK 🎌 text' }), offset)
  result.renamed = line()
  go('Twice')
  act('Give the second task an id of its own')
  result.numbered = line()
  assert(vim.wait(WAIT, function() return #problems() == 0 end), vim.inspect(problems()))
  vim.cmd('write')

  vim.lsp.stop_client(client)
  assert(vim.wait(WAIT, function() return vim.lsp.get_client_by_id(client) == nil end))
end

local ok, fault = xpcall(main, debug.traceback)
if not ok then result.fault = fault end
local file = assert(io.open(os.getenv('RESULT'), 'w'))
file:write(vim.json.encode(result))
file:close()
vim.cmd('qall!')
