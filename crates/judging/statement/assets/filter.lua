-- Places samples, notes lines for messages, and writes what pandoc has no words for.
-- The metadata field `tauto-data` names a Lua file with the samples, words and images of this statement.

local is_html = FORMAT:match("html") ~= nil
local data
local used = 0

-- The command line's reader: one line on standard error, which nothing of the statement can look like.
local function refuse(line, why)
  io.stderr:write("\ntauto-refused:" .. (line or "") .. ":" .. why .. "\n")
  os.exit(1)
end

local function escape(text)
  return (text:gsub('[&<>"]', { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

local function line_of(element)
  local at = element.attributes and element.attributes["data-pos"]
  return at and at:match("@?(%d+):")
end

-- In TeX a comment notes the line of the statement from which the next ones were made.
local function mark(line)
  return "%tauto-line " .. line .. "\n"
end

local function is_bare(element)
  local count = 0
  for name in pairs(element.attributes) do
    if name ~= "data-pos" and name ~= "wrapper" then count = count + 1 end
  end
  return element.identifier == "" and #element.classes == 0 and count == 0
end

local function forget(element)
  element.attributes["data-pos"] = nil
  element.attributes["wrapper"] = nil
end

local SHOWN = { Math = true, Image = true, Link = true, Code = true, RawInline = true }

-- First what has a position: it becomes a comment, and what was only there for it goes.
local positions = {
  Span = function(span)
    if not span.attributes["data-pos"] then return nil end
    local line = line_of(span)
    local first = span.content[1]
    if line and first and first.t == "Image" then first.attributes["tauto-line"] = line end
    forget(span)
    local content = span.content
    if line and first and SHOWN[first.t] and not is_html then
      content = pandoc.List({ pandoc.RawInline("latex", mark(line)) })
      content:extend(span.content)
    end
    if is_bare(span) then return content end
    span.content = content
    return span
  end,
  Code = function(code)
    forget(code)
    return code
  end,
  Div = function(div)
    local line = line_of(div)
    if not line then return nil end
    forget(div)
    local first = div.content[1]
    local is_text = first and (first.t == "Para" or first.t == "Plain")
    local text = is_text and #div.content == 1 and pandoc.utils.stringify(first)
    if text == "{{nextsample}}" or text == "{{remainingsamples}}" then
      return pandoc.Div({}, { class = "tauto" .. text:gsub("[{}]", ""), ["tauto-line"] = line })
    end
    if is_text and not is_html then
      first.content:insert(1, pandoc.RawInline("latex", mark(line)))
    end
    return is_bare(div) and div.content or div
  end,
  Header = function(header)
    local line = line_of(header)
    forget(header)
    header.content = header.content:filter(function(part) return part.t ~= "RawInline" end)
    if line and not is_html then return { pandoc.RawBlock("latex", mark(line)), header } end
    return header
  end,
  CodeBlock = function(code)
    forget(code)
    return code
  end,
  Table = function(table)
    local line = line_of(table)
    forget(table)
    if line and not is_html then return { pandoc.RawBlock("latex", mark(line)), table } end
    return table
  end,
}

-- How a text runs, by its first letter: 'r' from right to left, 'l' otherwise; 'n' if it has digits only, which go on with
-- what is before them.
local function direction(text)
  local way
  for _, code in utf8.codes(text) do
    if code >= 0x590 and code <= 0x8ff or code >= 0xfb1d and code <= 0xfdff or code >= 0xfe70 and code <= 0xfefc then return "r" end
    if code >= 0x41 and code <= 0x5a or code >= 0x61 and code <= 0x7a or code >= 0xc0 then return "l" end
    if code >= 0x30 and code <= 0x39 then way = "n" end
  end
  return way
end

-- Divides a text where its letters turn, so that each part has one direction.
local function turns(inlines)
  local all = pandoc.List({})
  for _, part in ipairs(inlines) do
    if part.t ~= "Str" then
      all:insert(part)
    else
      local text, way = "", nil
      for _, code in utf8.codes(part.text) do
        local c = utf8.char(code)
        local new = direction(c)
        if new == "n" then new = way end
        if new and way and new ~= way then
          all:insert(pandoc.Str(text))
          text = ""
        end
        text, way = text .. c, new or way
      end
      all:insert(pandoc.Str(text))
    end
  end
  return all
end

-- TeX orders words as the paragraph runs: a run of several words that goes the other way is enclosed.
local function with_runs(inlines)
  local other, first, last = data.rtl and "l" or "r", nil, nil
  local begins, ends = {}, {}
  local function close(from, to)
    if to > from or inlines[from].t == "Code" then begins[from], ends[to] = true, true end
  end
  for at, part in ipairs(inlines) do
    local is_gap = part.t == "Space" or part.t == "SoftBreak"
    local way = part.t == "Str" and direction(part.text) or part.t == "Code" and "l"
    if way == other or way == "n" and first then
      first, last = first or at, at
    elseif not is_gap or at == #inlines then
      if first then close(first, last) end
      first, last = nil, nil
    end
  end
  if first then close(first, last) end
  local way = data.rtl and "L" or "R"
  local all = pandoc.List({})
  for at, part in ipairs(inlines) do
    if begins[at] then all:insert(pandoc.RawInline("latex", "\\begin" .. way .. "{}")) end
    all:insert(part)
    if ends[at] then all:insert(pandoc.RawInline("latex", "\\end" .. way .. "{}")) end
  end
  return all
end

local function has_rtl(text)
  for _, code in utf8.codes(text) do
    if code >= 0x590 and direction(utf8.char(code)) == "r" then return true end
  end
end

-- Code with words from right to left: they are in commands, and no line is divided between letters, which join.
local function code_with_runs(text)
  local escaped = text:gsub("[\\{}]", { ["\\"] = "\\textbackslash{}", ["{"] = "\\{", ["}"] = "\\}" })
  local lines_ = {}
  for line in (escaped .. "\n"):gmatch("(.-)\n") do
    local words, run = {}, {}
    local function close()
      -- Spaces after the last word are not of the run.
      local gap = {}
      while #run > 0 and run[#run] == " " do table.insert(gap, table.remove(run)) end
      if #run > 0 then table.insert(words, "\\tautoright{" .. table.concat(run) .. "}") end
      table.insert(words, table.concat(gap))
      run = {}
    end
    for word, gap in line:gmatch("(%S*)(%s?)") do
      local way = direction(word)
      if word ~= "" and (way == "r" or way == "n" and #run > 0) then
        table.insert(run, word)
      elseif word ~= "" then
        close()
        table.insert(words, word)
      end
      if #run > 0 then table.insert(run, gap) else table.insert(words, gap) end
    end
    close()
    table.insert(lines_, table.concat(words))
  end
  return pandoc.RawBlock("latex", "\\begin{Verbatim}[commandchars=\\\\\\{\\},breakanywhere=false]\n"
    .. table.concat(lines_, "\n"):gsub("\n$", "") .. "\n\\end{Verbatim}")
end

-- Code that is longer than this many characters may break after each of them that is no letter, and else after that many.
local CODE_MAX = 24

local TEX = {
  ["\\"] = "\\textbackslash{}", ["~"] = "\\textasciitilde{}", ["^"] = "\\textasciicircum{}", ["'"] = "\\textquotesingle{}",
  ["`"] = "\\textasciigrave{}", ["-"] = "-{}", ["<"] = "<{}", [">"] = ">{}", [","] = ",{}", [" "] = "\\ ",
}

local function breakable(code)
  if utf8.len(code.text) <= CODE_MAX then return nil end
  local parts, since = {}, 0
  for _, point in utf8.codes(code.text) do
    local c = utf8.char(point)
    table.insert(parts, TEX[c] or c:gsub("[#$%%&_{}]", "\\%0"))
    since = since + 1
    if not c:match("^[%w\128-\255]") or since >= CODE_MAX then
      table.insert(parts, "\\tautobreak{}")
      since = 0
    end
  end
  return pandoc.RawInline("latex", "\\texttt{" .. table.concat(parts) .. "}")
end

-- A table whose widest row has more characters than fit on a line gets columns that wrap, wide as their longest cells.
local ROW_MAX = 80

local function rows_of(head, bodies)
  local rows = {}
  for _, row in ipairs(head.rows) do rows[#rows + 1] = row end
  for _, body in ipairs(bodies) do
    for _, row in ipairs(body.body) do rows[#rows + 1] = row end
  end
  return rows
end

local function wrapped(table_)
  local widths = {}
  for _, row in ipairs(rows_of(table_.head, table_.bodies)) do
    for at, cell in ipairs(row.cells) do
      local text = pandoc.utils.stringify(cell.contents)
      widths[at] = math.max(widths[at] or 1, utf8.len(text) or #text)
    end
  end
  local sum = 0
  for _, width in ipairs(widths) do sum = sum + width + 2 end
  if sum <= ROW_MAX then return nil end
  -- None is so narrow that its words do not fit.
  local share, all = {}, 0
  for at, width in ipairs(widths) do
    share[at] = math.max(width, ROW_MAX / 10)
    all = all + share[at]
  end
  local specs = table_.colspecs
  for at, spec in ipairs(specs) do specs[at] = { spec[1], (share[at] or 1) / all } end
  table_.colspecs = specs
  return table_
end

local function reversed(list)
  local all = pandoc.List({})
  for at = #list, 1, -1 do all:insert(list[at]) end
  return all
end

-- In a text from right to left the first column is at the right. A cell without a width is no paragraph, so that it has
-- its direction only by a command.
local function table_from_right(table_)
  local head, bodies = table_.head, table_.bodies
  for _, row in ipairs(rows_of(head, bodies)) do row.cells = reversed(row.cells) end
  table_.head, table_.bodies, table_.colspecs = head, bodies, reversed(table_.colspecs)
  return pandoc.walk_block(table_, { Plain = function(plain)
    plain.content:insert(1, pandoc.RawInline("latex", "\\beginR{}"))
    plain.content:insert(pandoc.RawInline("latex", "\\endR{}"))
    return plain
  end })
end

local function title(sample, name)
  return escape(data.words[name] .. " " .. sample.number)
end

local function shown(text)
  return "<pre>" .. escape(text.text) .. "</pre>" .. (text.note and "<p>" .. escape(text.note) .. "</p>" or "")
end

local function sample_html(sample)
  if sample.messages then
    local parts = {
      '<div class="sample"><h3>', title(sample, "sample-interaction"), '</h3><div class="sample-sides"><span>',
      escape(data.words.read), "</span><span>", escape(data.words.write), "</span></div>",
    }
    for _, message in ipairs(sample.messages) do
      if message.pass then
        table.insert(parts, '<div class="sample-pass">' .. escape(data.words.pass .. " " .. message.pass) .. "</div>")
      else
        table.insert(parts, '<div class="sample-' .. message.kind .. '">' .. shown(message) .. "</div>")
      end
    end
    table.insert(parts, "</div>")
    return table.concat(parts)
  end
  return '<div class="sample sample-pair"><div><h3>' .. title(sample, "sample-input") .. "</h3>" .. shown(sample.input)
    .. "</div><div><h3>" .. title(sample, "sample-output") .. "</h3>" .. shown(sample.output) .. "</div></div>"
end

local function next_sample(line)
  used = used + 1
  local sample = data.samples[used]
  if not sample then refuse(line, "{{nextsample}} stands here, but no sample is left") end
  if is_html then return pandoc.RawBlock("html", sample_html(sample)) end
  return pandoc.RawBlock("latex", (line and mark(line) or "") .. "\\nextsample")
end

local function remaining_samples()
  local blocks = pandoc.List({})
  while used < #data.samples do blocks:insert(next_sample(nil)) end
  return blocks
end

local function section(name)
  return function(div)
    local blocks = pandoc.List({ pandoc.Header(2, data.words[name]) })
    blocks:extend(div.content)
    return blocks
  end
end

local function heading(name)
  return function() return pandoc.Header(2, data.words[name]) end
end

local DIVS = {
  tautoinput = heading("input"),
  tautooutput = heading("output"),
  tautoscoring = heading("scoring"),
  tautonote = heading("note"),
  tautoexample = heading("example"),
  tautoexamples = heading("examples"),
  tautoexplanation = heading("explanation"),
  tautoconstraints = heading("constraints"),
  -- The two names are paragraphs.
  tautoinandout = function(div)
    for at, name in ipairs({ "input-file", "output-file" }) do
      if div.content[at] then div.content[at].content:insert(1, pandoc.Str(data.words[name] .. ": ")) end
    end
    return div.content
  end,
  tautonextsample = function(div) return next_sample(div.attributes["tauto-line"]) end,
  tautoremainingsamples = remaining_samples,
  Input = section("input"),
  Output = section("output"),
  Interaction = section("interaction"),
  tautointeraction = heading("interaction"),
}

local name_of_tex

local function image_file(name)
  for _, ending in ipairs({ "", ".png", ".jpg", ".jpeg", ".svg", ".pdf" }) do
    if data.images[name .. ending] then return name .. ending end
  end
end

-- Ideographs and their punctuation, between which the end of a line is no space.
local function is_wide(code)
  return code and (code >= 0x2e80 and code <= 0x9fff or code >= 0xf900 and code <= 0xfaff
    or code >= 0xfe30 and code <= 0xfe4f or code >= 0xff00 and code <= 0xff60 or code >= 0x20000)
end

local function first_code(part)
  return part and part.t == "Str" and part.text ~= "" and utf8.codepoint(part.text, 1)
end

local function last_code(part)
  return part and part.t == "Str" and part.text ~= "" and utf8.codepoint(part.text, utf8.offset(part.text, -1))
end

local function is_image_alone(block)
  local content = block.content:filter(function(part) return part.t ~= "RawInline" or part.format ~= "latex" end)
  return #content == 1 and content[1].t == "Image"
end

local function centred(para)
  if not is_image_alone(para) then return nil end
  if is_html then return pandoc.Div({ para }, { class = "tautoillustration" }) end
  return { pandoc.RawBlock("latex", "\\begin{center}"), para, pandoc.RawBlock("latex", "\\end{center}") }
end

local lines = {
  Inlines = function(inlines)
    local kept = pandoc.List({})
    for at, part in ipairs(inlines) do
      local is_break = part.t == "SoftBreak" and is_wide(last_code(inlines[at - 1])) and is_wide(first_code(inlines[at + 1]))
      if not is_break then kept:insert(part) end
    end
    if is_html then return kept end
    return with_runs(turns(kept))
  end,
  Para = centred,
  -- TeX's fonts join these.
  Str = function(str)
    if not is_html or not data.tex then return nil end
    return pandoc.Str((str.text:gsub("<<", "«"):gsub(">>", "»"):gsub(",,", "„")))
  end,
  Code = function(code) return not is_html and breakable(code) or nil end,
  CodeBlock = function(code) return not is_html and has_rtl(code.text) and code_with_runs(code.text) or nil end,
  Table = function(table)
    if is_html then return nil end
    if data.rtl then table = table_from_right(table) end
    return wrapped(table) or table
  end,
}

local function set(names)
  local all = {}
  for name in names:gmatch("%S+") do all[name] = true end
  return all
end

local VOID = set("br hr img wbr")
local BLOCKS = set("div p table caption colgroup col thead tbody tfoot tr td th ul ol li dl dt dd pre blockquote br hr center"
  .. " details summary figure figcaption sub sup h1 h2 h3 h4 h5 h6")

-- Tags that a statement itself has. An element of text that is not closed in its paragraph is repeated in each that follows,
-- which could become more than any memory holds: such tags are left out.
local tags = {
  Inlines = function(inlines)
    local open, kept = {}, {}
    for at, part in ipairs(inlines) do
      local tag = part.t == "RawInline" and part.format == "html" and part.text or ""
      local slash, name = tag:match("^<(/?)(%a%w*)")
      name = name and name:lower()
      if VOID[name] then
        kept[at] = true
      elseif slash == "" then
        table.insert(open, { name = name, at = at })
      elseif name and #open > 0 and open[#open].name == name then
        kept[at], kept[table.remove(open).at] = true, true
      end
    end
    local all = pandoc.List({})
    for at, part in ipairs(inlines) do
      if kept[at] or part.t ~= "RawInline" or part.format ~= "html" then all:insert(part) end
    end
    return all
  end,
  RawBlock = function(block)
    if block.format ~= "html" then return nil end
    local text = block.text:gsub("<(/?)(%a%w*)([^>]*)>", function(_, name) return not BLOCKS[name:lower()] and " " or nil end)
    return pandoc.RawBlock("html", (text:gsub("<[^>]*$", "")))
  end,
}

local places = {
  Div = function(div)
    for _, class in ipairs(div.classes) do
      if class == "tautoname" then
        name_of_tex = pandoc.utils.blocks_to_inlines(div.content)
        return {}
      end
      if class == "tautoillustration" then
        div.classes = { "illustration" }
        return div
      end
      if DIVS[class] then return DIVS[class](div) end
    end
  end,
  Image = function(image)
    local line = image.attributes["tauto-line"]
    image.attributes["tauto-line"] = nil
    local name = image_file((image.src:gsub("^%./", ""):gsub("%%20", " ")))
    if not name then
      refuse(line, "the image '" .. image.src .. "' is not in the folder of the statement: images come from there alone")
    end
    if not is_html then
      image.src = data.images[name]
      return image
    end
    local width = image.attributes.width
    width = width and width:match("^%d+%.?%d*%%?$")
    return pandoc.RawInline("html", '<img src="tauto-image-' .. data.images[name] .. '" alt="'
      .. escape(pandoc.utils.stringify(image.caption)) .. '"' .. (width and ' width="' .. width .. '"' or "") .. ">")
  end,
}

function Pandoc(document)
  data = dofile(pandoc.utils.stringify(document.meta["tauto-data"]))
  document.meta["tauto-data"] = nil
  local whole = pandoc.walk_block(pandoc.Div(document.blocks), positions)
  if is_html then whole = pandoc.walk_block(whole, tags) end
  whole = pandoc.walk_block(whole, lines)
  whole = pandoc.walk_block(whole, places)
  document.blocks = whole.content
  if is_html then
    document.blocks:extend(remaining_samples())
    if data.heading then
      local name = name_of_tex and #name_of_tex > 0 and name_of_tex or { pandoc.Str(data.name) }
      local heading = pandoc.List({ pandoc.Str(data.heading) })
      heading:extend(name)
      document.blocks:insert(1, pandoc.Header(1, heading, { id = data.anchor }))
      local limits = pandoc.List({})
      for _, limit in ipairs(data.limits) do limits:insert(pandoc.Span(limit)) end
      document.blocks:insert(2, pandoc.Div(pandoc.Plain(limits), { class = "limits" }))
    end
  end
  return document
end
