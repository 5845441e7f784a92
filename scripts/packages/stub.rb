# stub.rb FORMULA TARBALL PREFIX - as much of Homebrew as a formula uses, on the tools of this machine: the
# formula installs the tarball, which is unpacked in the current folder, in PREFIX, and its test runs.
require "digest"
require "pathname"

class Formula
  FIELDS = [:desc, :homepage, :license, :sha256, :url].freeze
  @said = {}

  class << self
    attr_reader :said, :dependencies, :tested

    def inherited(formula)
      super
      formula.instance_variable_set(:@said, {})
      formula.instance_variable_set(:@dependencies, [])
    end

    FIELDS.each { |field| define_method(field) { |text| @said[field] = text } }

    def depends_on(what)
      @dependencies << what
    end

    def test(&commands)
      @tested = commands
    end
  end

  attr_reader :prefix

  def initialize(prefix)
    @prefix = Pathname(prefix)
  end

  def bin
    prefix/"bin"
  end

  def system(*words)
    super(*words.map(&:to_s), exception: true)
  end

  def std_cmake_args
    ["-DCMAKE_INSTALL_PREFIX=#{prefix}", "-DCMAKE_INSTALL_LIBDIR=lib", "-DCMAKE_BUILD_TYPE=Release",
     "-DCMAKE_FIND_FRAMEWORK=LAST", "-Wno-dev", "-DBUILD_TESTING=OFF"]
  end
end

file, tarball, prefix = ARGV
load file
said = Sectile.said
abort "the tarball is another" if said[:sha256] != Digest::SHA256.file(tarball).hexdigest
abort "there is no tarball at #{said[:url]}" unless File.exist?(said[:url].delete_prefix("file://"))
abort "a description begins with a capital, and ends without a full stop" if said[:desc] !~ /\A[A-Z].{,78}[^.]\z/
puts "depends on #{Sectile.dependencies.join(", ")}"
formula = Sectile.new(prefix)
formula.install
formula.instance_eval(&Sectile.tested)
