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

local DIVS = {
  tautonextsample = function(div) return next_sample(div.attributes["tauto-line"]) end,
  tautoremainingsamples = remaining_samples,
  Input = section("input"),
  Output = section("output"),
  Interaction = section("interaction"),
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
    return kept
  end,
  Para = centred,
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
